import type { AccountLimits, UseLimits } from '../core/limits/use-limits.ts'
import type { AccountDesk } from './cli-backend.ts'
import type { Command, CommandContext, CommandFlag } from './command.ts'
import { readLimitFlags, showLimits } from './limit-flags.ts'

type Options = { readonly signal: AbortSignal }

interface LimitedThing<Thing> {
  readonly words: Command['words']
  readonly summary: string
  readonly argument: Command['argument'] & object
  readonly flags: readonly CommandFlag[]
  readonly find: (desk: AccountDesk, id: string, options: Options) => Promise<Thing>
  readonly change: (desk: AccountDesk, thing: Thing, limits: Partial<AccountLimits>, options: Options) => Promise<void>
}

/** A command that limits what is found by its id, or shows its limits when no flag is given. */
export function limitCommand<Thing extends { readonly limits: UseLimits | AccountLimits }>({
  find,
  change,
  ...described
}: LimitedThing<Thing>): Command {
  return {
    ...described,
    settings: ['data', 'database-url', 'database-url-file'],
    run: async ({ argument, backend, config, flags, signal }: CommandContext) => {
      const changes = readLimitFlags(flags)
      await using desk = await backend.openAccountDesk(config, { signal })
      const found = await find(desk, argument, { signal })
      if (Object.keys(changes).length > 0) await change(desk, found, changes, { signal })
      return showLimits({ ...found.limits, ...changes })
    },
  }
}
