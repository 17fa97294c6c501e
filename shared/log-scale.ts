/** The least ratio of the largest to the smallest positive value that calls for a logarithmic scale: three decades. */
export const logarithmicSpread = 1000;
