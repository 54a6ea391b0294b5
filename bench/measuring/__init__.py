"""What bench/compare, bench/curve and bench/scale share: running programs, reading counts, writing tables and plots."""
