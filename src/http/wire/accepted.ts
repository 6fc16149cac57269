/** Descriptions in the API document of fields that are accepted without effect. */
export const accepted = {
  onlyWay: 'Accepted; this is always so.',
  byItself: 'Accepted; the service handles it, and the answer is the same.',
  keptWarm: 'Accepted; prompts are cached automatically.',
  neverShortened: 'Accepted; prompts are never shortened.',
} as const
