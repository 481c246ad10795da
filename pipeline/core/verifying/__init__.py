"""Proofs about a published site: of its pages, that nothing but prose is other than upstream's."""
