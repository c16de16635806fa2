"""Runs inside netlab's own virtual environment: CPU seconds of its transformation of a topology file, the file's reading apart.

python bench/netlab_driver.py TOPOLOGY    # JSON: links, nodes, seconds
"""

import json
import sys
import time

from netsim import augment
from netsim.utils import log, read

topology = read.load(sys.argv[1])
start = time.process_time()
augment.main.transform(topology)
seconds = time.process_time() - start
log.exit_on_error()
print(json.dumps({"links": len(topology.links), "nodes": len(topology.nodes), "seconds": seconds}))
