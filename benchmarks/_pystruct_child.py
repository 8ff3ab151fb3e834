"""PyStruct's block-coordinate Frank-Wolfe on words; `_pystruct.py` runs it in PyStruct's own environment.

python _pystruct_child.py WORDS C PASSES
"""

import json
import sys
import warnings
from time import process_time

import numpy as np
from pystruct.learners import FrankWolfeSSVM
from pystruct.models import ChainCRF

warnings.simplefilter("ignore")
words, C, n_passes = np.load(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
ends = np.cumsum(words["lengths"])[:-1]
X = np.split(words["features"].astype(np.float64), ends)
y = np.split(np.unique(words["labels"], return_inverse=True)[1], ends)
model = ChainCRF(inference_method="max-product", directed=True)
learner = FrankWolfeSSVM(model, C=C, max_iter=n_passes, check_dual_every=10, tol=0.0, random_state=0)
began = process_time()
learner.fit(X, y)
seconds = process_time() - began
primal, dual = learner.primal_objective_curve_[-1], learner.objective_curve_[-1]
print(json.dumps({"cpu s": seconds, "primal": float(primal), "dual": float(dual)}))
