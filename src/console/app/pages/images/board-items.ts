import { type ImageGrid, imageGrids } from './grid/image-grids.ts'
import { type ImageRun, imageRuns } from './runs/image-runs.ts'

/** What hangs on the board: grids, and runs that are no part of one; newest first. */
export function boardItems(): readonly (ImageRun | ImageGrid)[] {
  const alone = imageRuns.value.filter(({ grid }) => grid === null)
  return [...alone, ...imageGrids.value].toSorted((one, other) => other.key - one.key)
}
