import Type, { type TOptional, type TUnknown } from 'typebox'

/** Fields that clients may send with any value and that have no effect. */
export function ignoredFields<const Name extends string>(...names: readonly Name[]): Record<Name, TOptional<TUnknown>> {
  return Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Unknown())])) as Record<Name, TOptional<TUnknown>>
}

/** Additional fields that clients add to messages, calls and tools, such as cache markers. */
export const ignoredMarks = ignoredFields('cache_control', 'prompt_cache_breakpoint', 'extra_content', 'provider_specific_fields')

/** Descriptions in the API document of fields that are accepted without effect. */
export const accepted = {
  onlyWay: 'Accepted; Sepia always does this.',
  byItself: 'Accepted; the service handles it, and the answer is the same.',
  keptWarm: 'Accepted; prompts are cached automatically.',
  neverShortened: 'Accepted; prompts are never shortened.',
} as const
