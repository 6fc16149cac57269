import type { ConfigFault } from '../config/load-config.ts'

/** What the person typed cannot be done; every fault says what to change. Exit code 2. */
export class UsageError extends Error {
  readonly faults: readonly ConfigFault[]

  constructor(faults: readonly ConfigFault[]) {
    super(faults.map(({ where, message }) => `${where}: ${message}`).join('\n'))
    this.name = 'UsageError'
    this.faults = faults
  }
}
