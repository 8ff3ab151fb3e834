"""Figures of a fit and of its errors, as matplotlib `Display` objects in the manner of scikit-learn."""
