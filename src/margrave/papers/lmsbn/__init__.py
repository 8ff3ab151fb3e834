"""X. Miao and R. Rao, Large margin Boltzmann machines and large margin sigmoid belief networks."""
