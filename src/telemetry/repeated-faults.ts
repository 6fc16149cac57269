const againMs = 60_000
/** Maximum number of distinct faults; the one reported longest ago is dropped first. */
const mostKinds = 200

interface Reported {
  readonly reportedAt: number
  readonly metAt: number
  readonly unreported: number
}

/** Limits logging of repeated faults: one that occurs four times a second on a full disk is logged once a minute. */
export class RepeatedFaults {
  readonly #now: () => number
  readonly #reported = new Map<string, Reported>()

  /** @param now Milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** @returns Number of occurrences since the last report if one is due; null = not due. */
  note(where: string, fault: unknown): number | null {
    const now = this.#now()
    const kind = `${where} ${describe(fault)}`
    const reported = this.#reported.get(kind)
    const continues = reported !== undefined && now - reported.metAt < againMs
    if (continues && now - reported.reportedAt < againMs) {
      this.#reported.set(kind, { ...reported, metAt: now, unreported: reported.unreported + 1 })
      return null
    }
    this.#reported.delete(kind)
    this.#reported.set(kind, { reportedAt: now, metAt: now, unreported: 0 })
    const [oldest] = this.#reported.keys()
    if (this.#reported.size > mostKinds && oldest !== undefined) this.#reported.delete(oldest)
    return continues ? reported.unreported : 0
  }
}

function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  return fault.cause instanceof Error ? `${fault.message} ${fault.cause.message}` : fault.message
}
