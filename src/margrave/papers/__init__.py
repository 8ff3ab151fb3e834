"""The papers: every table and figure by one command, recomputed from the data."""

from margrave.papers.catalogue import PAPERS, Order, Paper

__all__ = ["Order", "PAPERS", "Paper"]
