/** The progress of the load, for code that waits for it. */
export class LoadProgress {
  #completed = 0
  #over = false
  readonly #waiting = new Set<{ readonly count: number; readonly resolve: (reached: boolean) => void }>()

  /** How many are completed. */
  get completed(): number {
    return this.#completed
  }

  /** One more inference is completed. */
  advance(): void {
    this.#completed += 1
    this.#settle()
  }

  /** Nothing more will come. */
  end(): void {
    this.#over = true
    this.#settle()
  }

  /** Resolves with true as soon as so many are completed, with false when the load ends before. */
  reach(count: number): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.add({ count, resolve })
      this.#settle()
    })
  }

  #settle(): void {
    for (const waiter of this.#waiting) {
      if (!this.#over && this.#completed < waiter.count) continue
      this.#waiting.delete(waiter)
      waiter.resolve(!this.#over)
    }
  }
}
