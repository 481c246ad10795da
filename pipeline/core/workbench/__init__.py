"""What the workbench (``serve``) is made of, as far as no file and no browser is needed.

``blocks`` says in what state each message of a page is, ``editing`` puts what a person wrote into
a catalogue, ``marks`` finds messages again in a rendered page, ``excerpt`` cuts out the part of a
page that has to be read to show one of them. ``suggestions`` looks for similar texts, ``words``
compares two versions.
"""
