/** Why a field is taken that changes nothing, as the API document says it. */
export const accepted = {
  onlyWay: 'Accepted; there is no other way here.',
  byItself: 'Accepted; the service sees to it by itself, and the answer is the same.',
  keptWarm: 'Accepted; prompts are kept warm by themselves.',
  neverShortened: 'Accepted; prompts are never shortened.',
} as const
