/** Why a field is taken that changes nothing, as the API document says it. */
export const accepted = {
  onlyWay: 'Accepted; this is always so.',
  byItself: 'Accepted; the service handles it, and the answer is the same.',
  keptWarm: 'Accepted; prompts are cached automatically.',
  neverShortened: 'Accepted; prompts are never shortened.',
} as const
