"""What the hardening and platform rules are about, for people."""

from railyard.rules.registry import CIS, Rule, register

CIS_ENCRYPTION = register(
    Rule(
        id="CIS-1.2.27",
        title="Secrets are encrypted in etcd",
        severity="limit",
        pack="hardening",
        framework=CIS,
        why="Without encryption at rest, a copy of etcd's disk or a snapshot is a copy of every secret.",
        inputs="encryptSecrets of the platform, as the stack file declares it; the API server's flags are not read",
        passes="true: declared that its encryption-provider-config has aescbc, kms or secretbox as first provider",
        fails="false",
        cause="a test cluster's settings taken over",
        manual="read a secret's bytes with etcdctl: they must begin with k8s:enc:",
        fix="set railyard:platform.controlPlane.encryptSecrets to true; give the API server an encryption configuration",
        source="CIS Kubernetes 1.12, 1.2.27 and 1.2.28",
    )
)
CIS_ANONYMOUS = register(
    Rule(
        id="CIS-1.2.1",
        title="No anonymous requests",
        severity="limit",
        pack="hardening",
        framework=CIS,
        why="Anonymous requests let anyone on the network ask the API server, and use whatever RBAC gives to everybody.",
        inputs="anonymousAuth of the platform, as the stack file declares it; the API server's flags are not read",
        passes="false",
        fails="true",
        cause="the API server's default; load balancers that check health without credentials",
        manual="`curl -k https://API/api` must answer 401",
        fix="set railyard:platform.controlPlane.anonymousAuth to false, or limit its paths and waive this rule",
        source="CIS Kubernetes 1.12, 1.2.1",
    )
)
CIS_AUDIT = register(
    Rule(
        id="CIS-1.2.16",
        title="The API server keeps an audit log",
        severity="limit",
        pack="hardening",
        framework=CIS,
        why="Without an audit log nobody can say afterwards who read a secret or deleted a job.",
        inputs="auditLog of the platform, as the stack file declares it; the API server's flags are not read",
        passes="true",
        fails="false",
        cause="a test cluster's settings taken over",
        manual="audit-log-path and audit-policy-file among the API server's flags",
        fix="set railyard:platform.controlPlane.auditLog to true and give the API server an audit policy",
        source="CIS Kubernetes 1.12, 1.2.16 to 1.2.19",
    )
)
BMC_001 = register(
    Rule(
        id="BMC-001",
        title="The BMC's certificate is checked",
        severity="limit",
        pack="hardening",
        why="A BMC owns its machine. Without a checked certificate its password goes to whoever answers.",
        inputs="verifyTls of each Machine",
        passes="true",
        fails="false, or left out",
        cause="self-signed certificates of the factory",
        manual="`openssl s_client -connect BMC:443 -CAfile ca.crt` must verify",
        fix="set railyard:bmc.verifyTls to true and give BMCs certificates of railyard:bmc.caFile",
        source="NIST SP 800-193; Redfish DSP0266, Security",
    )
)
BMC_002 = register(
    Rule(
        id="BMC-002",
        title="The BMC's factory account is removed",
        severity="limit",
        pack="hardening",
        why="Factory passwords are printed on a label or known to everybody.",
        inputs="accounts.removeFactory of each Machine",
        passes="true",
        fails="false, or the section is left out",
        cause="fear of locking oneself out",
        manual="log in with the factory account: it must be refused",
        fix="set railyard:bmc.removeFactoryAccount to true",
        source="NIST SP 800-53 IA-5; California SB-327",
    )
)
K8S_001 = register(
    Rule(
        id="K8S-001",
        title="Kubernetes resources have an explicit provider",
        severity="limit",
        pack="hardening",
        why="The default provider takes the cluster of whoever runs the command: a wrong context and production gets a test.",
        inputs="type and provider of each kubernetes resource",
        passes="a provider that the program made",
        fails="the engine's default provider",
        cause="a resource without `provider` in its options or its parent's",
        manual="`pulumi stack export`: no provider of a kubernetes resource is called default_*",
        fix="pass provider=platform.provider, or make the Platform its parent",
        source="pulumi.md; Pulumi's disable-default-providers",
    )
)
SEC_001 = register(
    Rule(
        id="SEC-001",
        title="The example passphrase guards examples only",
        severity="limit",
        why="The passphrase of the examples is published with this repository: what it encrypts, everybody can read.",
        inputs="encryptionsalt of the stack file, whether the example passphrase fits it, `secure:` values, BMC addresses",
        passes="another passphrase, or an example with loopback BMCs and without secrets",
        fails="the example passphrase with a secure value or a BMC that is not on loopback",
        cause="a stack file copied from the examples with its salt",
        manual="compare encryptionsalt with that of stacks/Pulumi.lab.yaml",
        fix="set PULUMI_CONFIG_PASSPHRASE_FILE to a file of yours before the first preview: a new stack is encrypted with it. "
        "For a stack that exists: `pulumi stack change-secrets-provider passphrase --stack STACK < MY-FILE`, then set it",
        source="house: a secret canary greps to zero",
    )
)
QUEUE_001 = register(
    Rule(
        id="QUEUE-001",
        title="Quotas fit the GPUs that are there",
        severity="limit",
        why="Quotas beyond what is there promise a team GPUs that never come; its jobs stay pending without a word.",
        inputs="gpus of each queue; GPUs of active machines",
        passes="the sum of quotas <= GPUs of active machines",
        fails="more is promised than there is",
        cause="a machine set aside, or a tenant added without asking",
        manual="add the quotas of all ClusterQueues; compare with `kubectl get nodes` capacity",
        fix="lower railyard:platform.tenants[].gpus, or bring machines back",
        source="kubernetes-sigs/kueue#9048; Kueue, ClusterQueue",
    )
)
QUEUE_002 = register(
    Rule(
        id="QUEUE-002",
        title="Tenants have namespaces of their own",
        severity="invariant",
        why="A tenant's name is its namespace: in `default` or kube-system its quota and rights would meet the cluster's own.",
        inputs="railyard:platform.tenants[].name",
        passes="not default, kueue-system, nor anything that begins with kube-",
        fails="the name is one that Kubernetes or Kueue keeps for itself",
        cause="a tenant named after where its jobs ran before",
        manual="`kubectl get namespaces` of a new cluster",
        fix="give the tenant another name",
        source="Kubernetes, Namespaces: the prefix kube- is reserved",
    )
)
