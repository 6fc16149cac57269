import { effect } from '@preact/signals'
import type { ListedRequest } from '../../../../contract/requests.ts'
import { forgetRecord, keepRecord, readRecords } from '../../../browser/kept-records.ts'
import { showIfKept } from '../../../interface/follow-inference.ts'
import { ownPrefix } from '../../../state/session.ts'
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
    void keepRecord(ownPrefix('grids') + grid.key, { grid, ids } satisfies KeptGrid)
  }
})

/**
 * Restores the grids of earlier visits, with the pictures that still exist.
 *
 * @param requests The latest; others are looked up.
 * @returns the requests that belong to them.
 * @throws {RequestFailure} when the service cannot be asked.
 */
export async function restoreGrids(requests: readonly ListedRequest[]): Promise<ReadonlySet<string>> {
  const listed = new Map(requests.map(({ id, inference }) => [id, inference]))
  const found = new Set<string>()
  for (const [name, { grid, ids }] of await readRecords<KeptGrid>(ownPrefix('grids'))) {
    for (const id of ids) if (id !== null) found.add(id)
    if (Date.now() - grid.key > keptMs) void forgetRecord(ownPrefix('grids') + name)
    else if (!imageGrids.peek().some(({ key }) => key === grid.key)) {
      const inferences = await Promise.all(
        ids.map(async (id) => (id === null ? null : (listed.get(id) ?? (await showIfKept(id))?.inference))),
      )
      kept.set(grid.key, ids.join())
      // Its runs come first: a grid without them would be stored without them.
      for (const [index, { body }] of grid.cells.entries()) {
        const inference = inferences[index]
        if (inference) void restoreRun({ inference, body, grid: grid.key })
      }
      imageGrids.value = [...imageGrids.value, { ...grid, stopped: true }]
    }
  }
  return found
}
