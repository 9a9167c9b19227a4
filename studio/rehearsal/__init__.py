"""The rehearsal server: a program that speaks the HTTP contract of vLLM-Omni 0.30.0 for MiniMax-H3, without a model.

It stands alone (of studio it imports `core` and the leaf `media.mp4`) and states the model's rules on its own, so that
the studio's contract and it can disagree. It is started as a program: `python -m studio.rehearsal`.
"""
