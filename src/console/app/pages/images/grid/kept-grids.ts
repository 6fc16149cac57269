import { effect } from '@preact/signals'
import type { ListedRequest } from '../../../../contract/requests.ts'
import { forgetRecord, keepRecord, readRecords } from '../../../browser/kept-records.ts'
import { session } from '../../../state/session.ts'
import { restoreRun } from '../runs/image-runs.ts'
import { type ImageGrid, imageGrids, runOf } from './image-grids.ts'

/** A grid, and the requests of its cells; null = none yet. */
interface KeptGrid {
  readonly grid: ImageGrid
  readonly ids: readonly (string | null)[]
}

/** Pictures are stored for a day. */
const keptMs = 24 * 60 * 60 * 1000

/** The stored state of each grid. */
const kept = new Map<number, string>()

effect(() => {
  for (const grid of imageGrids.value) {
    const ids = grid.cells.map((cell) => runOf(grid, cell)?.id ?? null)
    if (kept.get(grid.key) === ids.join()) continue
    kept.set(grid.key, ids.join())
    void keepRecord(prefix() + grid.key, { grid, ids } satisfies KeptGrid)
  }
})

/**
 * Restores the grids of earlier visits, with the pictures that still exist.
 *
 * @returns the requests that belong to them.
 */
export async function restoreGrids(requests: readonly ListedRequest[]): Promise<ReadonlySet<string>> {
  const inferences = new Map(requests.map(({ id, inference }) => [id, inference]))
  const found = new Set<string>()
  for (const [name, { grid, ids }] of await readRecords<KeptGrid>(prefix())) {
    if (Date.now() - grid.key > keptMs) void forgetRecord(prefix() + name)
    else if (!imageGrids.peek().some(({ key }) => key === grid.key)) {
      kept.set(grid.key, ids.join())
      imageGrids.value = [...imageGrids.value, { ...grid, stopped: true }]
      for (const [index, id] of ids.entries()) {
        const inference = id === null ? null : inferences.get(id)
        const body = grid.cells[index]?.body
        if (inference && body) void restoreRun({ inference, body, grid: grid.key })
      }
    }
    for (const id of ids) if (id !== null) found.add(id)
  }
  return found
}

function prefix(): string {
  const current = session.peek()
  return `grids/${current.state === 'signed-in' ? current.account.id : ''}/`
}
