"""The first window: live programs. Losses are watched where torch computes them; crashes are explained."""
