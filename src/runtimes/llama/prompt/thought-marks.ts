/** Around what a model thinks before it answers; where they are control tokens, answers show them all the same. */
export const thoughtMarks = { open: '<think>', close: '</think>' } as const
