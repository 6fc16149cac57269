import type { UsageEntry } from '../../../src/core/usage.ts'

/** Usage of a chat by account `a` that cost nothing, with every field filled in. */
export function makeUsageEntry(overrides: Partial<UsageEntry> = {}): UsageEntry {
  return {
    accountId: 'a',
    tokenId: null,
    model: 'm',
    kind: 'chat',
    outcome: 'succeeded',
    promptTokens: 1,
    completionTokens: 1,
    images: 0,
    cost: 0,
    durationMs: 1,
    firstTokenMs: null,
    at: 1,
    ...overrides,
  }
}
