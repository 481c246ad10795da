"""Drafts by a language model: what it is asked, and what of its answers may be kept.

``selecting`` says which entries want a draft, ``batches`` puts them together, ``prompt`` says what
the model sees, with every atom behind a mark (``masking``). What comes back is hostile until
proven: ``book`` takes it apart, ``judging`` refuses what is not a translation, ``accepting``
looks at all drafts of a page together, and puts the rest into its catalogue.
``outcome`` counts what that takes and what came of it, ``pseudo`` is a translator without a model.
"""
