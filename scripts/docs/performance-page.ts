import { globSync, readFileSync } from 'node:fs'

/** Path of the page that {@link performancePage} renders. */
export const performancePagePath = 'docs/performance.md'

/** Measurements of one machine on one day, as `bench/results/<date>-<machine>.json` holds them. */
interface Results {
  readonly machine: string
  readonly date: string
  readonly rows: readonly {
    readonly question: string
    readonly sepia: string
    readonly rival: string
    readonly ratio: string
    /** The file below `bench/` that measures it, without its ending. */
    readonly bench: string
  }[]
}

/** The table of measurements, the newest first. */
export function performancePage(): string {
  const results: readonly Results[] = globSync('bench/results/*.json')
    .toSorted()
    .toReversed()
    .map((path) => JSON.parse(readFileSync(path, 'utf8')))
  const rows = results.flatMap(({ machine, date, rows }) =>
    rows.map(
      ({ question, sepia, rival, ratio, bench }) =>
        `| ${question} | ${sepia} | ${rival} | ${ratio} | ${machine} | ${date} | \`${bench}\` |`,
    ),
  )
  return `${introduction}\n| question | Sepia | rival | ratio | machine | date | bench |\n|---|---|---|---|---|---|---|\n${rows.join('\n')}\n`
}

const introduction = `# Performance

<!-- Written by \`npm run docs\` from bench/results/*.json; change it there. -->

Each row compares Sepia with a rival in the same run on the same machine. The ratio is Sepia's figure divided by the rival's. Compare ratios rather than single figures: the machines are virtual ones with two cores and no GPU, and engines use one thread.

To run a bench yourself, use \`npm run bench -- <bench>\`, with the path of llama-server in \`LLAMA_SERVER\`. [Capacity](capacity.md) has the figures of clusters.
`
