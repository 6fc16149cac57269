import type { UsageLog } from '../core/ports/usage-log.ts'

/** Makes sums of the entries in the books until none are left. */
export async function rollUpUsage({ usage }: { readonly usage: UsageLog }, options: { readonly signal: AbortSignal }): Promise<void> {
  while ((await usage.rollUp(options)) > 0);
}
