/** Label values of one time series, in the order the metric declares its labels. */
export type Labels = readonly string[]

export interface Counter {
  readonly add: (labels: Labels, amount?: number) => void
}

export interface Histogram {
  readonly observe: (labels: Labels, value: number) => void
}

interface Description {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

/** Numbers of this process in memory, rendered in the Prometheus text format (version 0.0.4). */
export class MetricsRegistry {
  readonly #families: (() => string)[] = []

  /** A number that only grows; its name ends in `_total`. */
  counter(description: Description): Counter {
    const series = new Map<string, number>()
    this.#families.push(() => renderFamily(description, 'counter', [...series]))
    return {
      add: (labels, amount = 1) => {
        const key = renderLabels(description.labels, labels)
        series.set(key, (series.get(key) ?? 0) + amount)
      },
    }
  }

  /** Numbers that are read when the metrics are. */
  gauge(description: Description, collect: () => Iterable<readonly [Labels, number]>): void {
    this.#families.push(() =>
      renderFamily(
        description,
        'gauge',
        Array.from(collect(), ([labels, value]) => [renderLabels(description.labels, labels), value]),
      ),
    )
  }

  /** Counts of values up to each bound, with their sum. */
  histogram(description: Description, bounds: readonly number[]): Histogram {
    const series = new Map<string, { readonly labels: Labels; readonly counts: number[]; sum: number; count: number }>()
    this.#families.push(() => {
      const { name, help, labels: names } = description
      const lines = [...series].flatMap(([key, { labels, counts, sum, count }]) => [
        ...bounds.map(
          (bound, index) => `${name}_bucket${renderLabels([...names, 'le'], [...labels, String(bound)])} ${counts[index] ?? 0}`,
        ),
        `${name}_bucket${renderLabels([...names, 'le'], [...labels, '+Inf'])} ${count}`,
        `${name}_sum${key} ${sum}`,
        `${name}_count${key} ${count}`,
      ])
      return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...lines, ''].join('\n')
    })
    return {
      observe: (labels, value) => {
        const key = renderLabels(description.labels, labels)
        const entry = series.get(key) ?? { labels, counts: bounds.map(() => 0), sum: 0, count: 0 }
        series.set(key, entry)
        for (const [index, bound] of bounds.entries()) if (value <= bound) entry.counts[index] = (entry.counts[index] ?? 0) + 1
        entry.sum += value
        entry.count += 1
      },
    }
  }

  render(): string {
    return this.#families.map((family) => family()).join('')
  }
}

function renderFamily({ name, help }: Description, type: string, series: readonly (readonly [string, number])[]): string {
  const lines = series.map(([labels, value]) => `${name}${labels} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
}

function renderLabels(names: readonly string[], values: Labels): string {
  if (names.length === 0) return ''
  return `{${names.map((name, index) => `${name}="${escapeLabel(values[index] ?? '')}"`).join(',')}}`
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
