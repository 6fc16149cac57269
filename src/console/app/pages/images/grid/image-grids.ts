import { signal } from '@preact/signals'
import type { ImageRequestBody } from '../../../interface/submit-image.ts'
import { cancelRun, draw, drawAgain, type ImageRun, imageRuns, isRunOpen, takeKey } from '../runs/image-runs.ts'

/** A cell's drawing, and the run that draws it. */
export interface GridCell {
  readonly column: number
  readonly row: number
  readonly body: ImageRequestBody
}

/** Pictures that vary in two parameters: one across the columns, one across the rows. */
export interface ImageGrid {
  readonly key: number
  readonly prompt: string
  /** The parameter and its values; empty strings when nothing varies. */
  readonly across: { readonly label: string; readonly values: readonly string[] }
  readonly down: { readonly label: string; readonly values: readonly string[] }
  readonly cells: readonly GridCell[]
  /** Whether cells that have not begun should not begin. */
  readonly stopped: boolean
}

/** The grids of this tab. */
export const imageGrids = signal<readonly ImageGrid[]>([])

/** The largest number of pictures in a grid. */
export const maxCells = 64
/** Number of cells requested at once: the service is shared, and an account has a limited share of its queue. */
const atOnce = 3

/** Draws every cell, a few at a time. */
export async function drawGrid(wanted: Omit<ImageGrid, 'key' | 'stopped'>): Promise<void> {
  const grid = { ...wanted, key: takeKey(), stopped: false }
  imageGrids.value = [...imageGrids.value, grid]
  await drawCells(grid, grid.cells)
}

/** Draws the missing cells. */
export async function drawMissing(grid: ImageGrid): Promise<void> {
  imageGrids.value = imageGrids.value.map((each) => (each.key === grid.key ? { ...each, stopped: false } : each))
  await drawCells(grid, missingOf(grid))
}

/** The cells without a finished or running drawing. */
export function missingOf(grid: ImageGrid): readonly GridCell[] {
  return grid.cells.filter((cell) => ['failed', 'cancelled'].includes(runOf(grid, cell)?.state ?? 'failed'))
}

async function drawCells(grid: ImageGrid, cells: readonly GridCell[]): Promise<void> {
  const waiting = [...cells]
  const drawNext = async (): Promise<void> => {
    for (;;) {
      const cell = isStopped(grid.key) ? undefined : waiting.shift()
      if (cell === undefined) return
      // It may have been drawn by its own button meanwhile.
      if (missingOf(grid).includes(cell)) await drawCell(grid, cell)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, drawNext))
}

/** The latest run of a cell; undefined before its turn. */
export function runOf(grid: ImageGrid, cell: GridCell): ImageRun | undefined {
  return imageRuns.value.find((run) => run.grid === grid.key && run.body === cell.body)
}

/** Whether cells are being drawn or waiting. */
export function isOpen(grid: ImageGrid): boolean {
  return grid.cells.some((cell) => {
    const run = runOf(grid, cell)
    return run === undefined ? !grid.stopped : isRunOpen(run)
  })
}

/** Stops all running cells, and starts no others. */
export async function cancelGrid(grid: ImageGrid): Promise<void> {
  imageGrids.value = imageGrids.value.map((each) => (each.key === grid.key ? { ...each, stopped: true } : each))
  const open = imageRuns.value.filter((run) => run.grid === grid.key && isRunOpen(run))
  await Promise.all(open.map((run) => cancelRun(run)))
}

/** Draws a cell that failed, was cancelled, or never began. */
export async function drawCell(grid: ImageGrid, cell: GridCell): Promise<void> {
  const run = runOf(grid, cell)
  await (run === undefined ? draw(cell.body, { grid: grid.key }) : drawAgain(run))
}

function isStopped(key: number): boolean {
  return imageGrids.value.find((grid) => grid.key === key)?.stopped ?? true
}
