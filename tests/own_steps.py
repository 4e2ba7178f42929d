"""The method with steps of a problem or example scene, as options of the program. Most example scenes run by tolerance and name
no step; where the matrix, the ledger study and the fingerprints need one, it is here: about a thousandth of the motion."""
from pathlib import Path

STEPS = {
    "bar-hammer": ["--scheme", "moreau-jean", "--h", "5e-4"],
    "beam-gap": ["--scheme", "generalized-alpha:tolerance=1e-6", "--h", "5e-5"],
    "box-stack": ["--h", "2e-3"],
    "cradle-hanging": ["--h", "5e-5"],
    "cradle-hertz": ["--h", "1e-6"],
    "cradle-kuwabara-kono": ["--h", "1e-6"],
    "cradle-newton": ["--h", "1e-5"],
    "cubic-slide": ["--h", "1e-2"],
    "dominoes": ["--h", "5e-4"],
    "double-pendulum-wall": ["--h", "2e-4"],
    "geneva": ["--scheme", "moreau-jean", "--h", "5e-4"],
    "leaning-stack": ["--h", "2e-3"],
    "rattleback": ["--scheme", "moreau-projected", "--h", "1e-4"],
    "slider-crank": ["--scheme", "moreau-jean", "--h", "1e-5"],
    "string-cradle": ["--h", "1e-5"],
    "tippe-top": ["--scheme", "moreau-jean", "--h", "1e-3"],
    "van-der-pol": ["--h", "1e-2"],
}


def own_steps(target):
    path = Path(target)
    if path.suffix != ".yaml":
        return ["--scheme", "usual"]
    return STEPS.get(path.stem, ["--scheme", "usual"])
