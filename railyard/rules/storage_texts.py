"""What the rules of file system and replication are about, for people."""

from railyard.rules.registry import Rule, register

STORAGE_001 = register(
    Rule(
        id="STORAGE-001",
        title="Quotas leave the file system room",
        severity="limit",
        pack="fabric",
        why="A parallel file system that is fuller than 80 % fragments and slows down; past 100 % a checkpoint is not written.",
        inputs="quotaTib of every class and usableTib of the file system",
        passes="the sum of quotas <= usableTib x storageFillPercentMax / 100 (80)",
        fails="more is promised than may be filled; both numbers are named",
        cause="quotas set before mirroring was switched on; a server that was never delivered",
        manual="add the quotas; compare with `lfs df` or `beegfs-df`",
        fix="lower railyard:storage.classes[].quotaTib, or add storage servers",
        source="awsome-distributed-ai PR 1225 (ENOSPC on one OST at 90 %); 80 %: ours",
    )
)
STORAGE_002 = register(
    Rule(
        id="STORAGE-002",
        title="Mirrors are on another server",
        severity="limit",
        pack="fabric",
        why="A mirror that isn't there, or that dies with its original, protects nothing and still halves the capacity.",
        inputs="mirrored, backend, and name, kind, server and mirror of each target. Lustre's metadata targets are left out: "
        "it mirrors data (FLR), never metadata",
        passes="not mirrored; or each target's mirror is a target of another server",
        fails="a target has no mirror, one that doesn't exist, or one on its own server",
        cause="an odd number of storage servers; a server that was never delivered",
        manual="`lfs getstripe --mirror-count`, or `beegfs-ctl --listmirrorgroups`",
        fix="deliver servers in pairs (railyard:storage.nodes), or set railyard:storage.mirrored to false",
        source="BeeGFS documentation, Mirroring (buddy groups across servers); Lustre manual, File Level Redundancy",
    )
)
REPL_001 = register(
    Rule(
        id="REPL-001",
        title="The copy is as fresh as wanted",
        severity="limit",
        pack="fabric",
        why="What was trained since the last complete copy is lost with the site: its link says how much.",
        inputs="achievedRpoMin, wantedRpoMin, copyMin and intervalMin of the replica",
        passes="achievedRpoMin <= wantedRpoMin",
        fails="the copy of a checkpoint ends too late for what is wanted",
        cause="a link sized for the average, checkpoints that grew with the model",
        manual="checkpoint bits / (link x 0.8) + m x interval, m = copy / interval rounded up",
        fix="a faster link (railyard:replication.linkGbps), a shorter intervalMin, or a larger rpoMin",
        source="ours: m * interval + copy",
    )
)
