/** Smallest ratio of the largest to the smallest positive value for a logarithmic scale: three decades. */
export const logarithmicSpread = 1000;
