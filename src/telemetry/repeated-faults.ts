const againMs = 60_000
/** Kinds that are remembered; the one that was told longest ago is forgotten first. */
const mostKinds = 200

interface Told {
  readonly reportedAt: number
  readonly metAt: number
  readonly unreported: number
}

/** Which faults are news: what fails four times a second while the disk is full is logged once a minute. */
export class RepeatedFaults {
  readonly #now: () => number
  readonly #told = new Map<string, Told>()

  /** @param now Milliseconds of a clock that nobody sets. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** @returns How many like it were met since one was told, when it is to be told; null = it is no news. */
  note(where: string, fault: unknown): number | null {
    const now = this.#now()
    const kind = `${where} ${describe(fault)}`
    const told = this.#told.get(kind)
    const continues = told !== undefined && now - told.metAt < againMs
    if (continues && now - told.reportedAt < againMs) {
      this.#told.set(kind, { ...told, metAt: now, unreported: told.unreported + 1 })
      return null
    }
    this.#told.delete(kind)
    this.#told.set(kind, { reportedAt: now, metAt: now, unreported: 0 })
    const [oldest] = this.#told.keys()
    if (this.#told.size > mostKinds && oldest !== undefined) this.#told.delete(oldest)
    return continues ? told.unreported : 0
  }
}

function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  return fault.cause instanceof Error ? `${fault.message} ${fault.cause.message}` : fault.message
}
