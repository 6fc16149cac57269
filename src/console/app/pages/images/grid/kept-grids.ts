import { effect } from '@preact/signals'
import type { ListedRequest } from '../../../../contract/requests.ts'
import { forgetRecord, keepRecord, readRecords } from '../../../browser/kept-records.ts'
import { showIfKept } from '../../../interface/follow-inference.ts'
import { ownPrefix } from '../../../state/session.ts'
import { type ImageRun, restoreRun, restoreUnsent } from '../runs/image-runs.ts'
import { keptMs } from '../runs/kept-runs.ts'
import { type ImageGrid, imageGrids, runOf } from './image-grids.ts'

/** A grid, and the requests of its cells; null = none yet. */
interface KeptGrid {
  readonly grid: ImageGrid
  readonly ids: readonly (string | null)[]
}

/** Runs of cells, without the requests, that the service may not have received; null = none. */
type UnsentCells = readonly (Omit<ImageRun, 'body'> | null)[]

/** The stored records of the grids, as texts. */
const kept = new Map<string, string>()

effect(() => {
  for (const grid of imageGrids.value) {
    const runs = grid.cells.map((cell) => runOf(grid, cell) ?? null)
    const ids = runs.map((run) => run?.id ?? null)
    keepChanged(ownPrefix('grids') + grid.key, ids.join(), { grid, ids } satisfies KeptGrid)
    const unsent: UnsentCells = runs.map((run) => (run?.id === null ? withoutBody(run) : null))
    // Apart from the grid, whose requests may have many pictures.
    keepChanged(ownPrefix('cells') + grid.key, JSON.stringify(unsent), unsent)
  }
})

function keepChanged(name: string, text: string, record: unknown): void {
  if (kept.get(name) === text) return
  kept.set(name, text)
  void keepRecord(name, record)
}

function withoutBody({ body: _, ...rest }: ImageRun): Omit<ImageRun, 'body'> {
  return rest
}

/**
 * Restores the grids of earlier visits, with the pictures that still exist.
 *
 * @param requests The latest; others are looked up. null = not known yet; then only grids without requests at the service are restored.
 * @returns the requests that belong to them.
 * @throws {RequestFailure} when the service cannot be asked.
 */
export async function restoreGrids(requests: readonly ListedRequest[] | null): Promise<ReadonlySet<string>> {
  const listed = new Map(requests?.map(({ id, inference }) => [id, inference]))
  const found = new Set<string>()
  const unsent = await readRecords<UnsentCells>(ownPrefix('cells'))
  for (const [name, { grid, ids }] of await readRecords<KeptGrid>(ownPrefix('grids'))) {
    for (const id of ids) if (id !== null) found.add(id)
    const hasRequests = ids.some((id) => id !== null)
    if (Date.now() - grid.key > keptMs) {
      for (const kind of ['grids', 'cells']) void forgetRecord(ownPrefix(kind) + name)
    } else if (!imageGrids.peek().some(({ key }) => key === grid.key) && !(requests === null && hasRequests)) {
      const inferences = await Promise.all(
        ids.map(async (id) => (id === null ? null : (listed.get(id) ?? (await showIfKept(id))?.inference))),
      )
      kept.set(ownPrefix('grids') + grid.key, ids.join())
      // Its runs come first: a grid without them would be stored without them.
      for (const [index, { body }] of grid.cells.entries()) {
        const inference = inferences[index]
        const run = unsent.get(name)?.[index]
        if (inference) void restoreRun({ inference, body, grid: grid.key })
        else if (run && ids[index] === null) restoreUnsent({ ...run, body })
      }
      imageGrids.value = [...imageGrids.value, { ...grid, stopped: true }]
    }
  }
  return found
}
