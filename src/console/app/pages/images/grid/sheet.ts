import { withBase } from '../../../browser/base-path.ts'
import { downloadBlob } from '../../gallery/download-blob.ts'
import { type ImageGrid, runOf } from './image-grids.ts'

/** The longest sides of a picture on the sheet and of the sheet, in pixels. */
const [longestCell, longestSheet] = [512, 12_000]
const [gap, labelHeight, labelWidth] = [8, 40, 140]

/** Combines a grid's pictures and values in one picture, and saves it. */
export async function downloadSheet(grid: ImageGrid): Promise<void> {
  const { width, height } = grid.cells[0]?.body ?? { width: 1, height: 1 }
  const [columns, rows] = [grid.across.values.length, grid.down.values.length]
  const scale = Math.min(1, longestCell / Math.max(width, height), longestSheet / (columns * width), longestSheet / (rows * height))
  const cell = { width: Math.round(width * scale), height: Math.round(height * scale) }
  const canvas = document.createElement('canvas')
  canvas.width = labelWidth + columns * (cell.width + gap)
  canvas.height = labelHeight + rows * (cell.height + gap)
  const context = canvas.getContext('2d')
  if (!context) return
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = '#000'
  context.font = '16px sans-serif'
  context.textBaseline = 'middle'
  const left = (column: number) => labelWidth + column * (cell.width + gap)
  const top = (row: number) => labelHeight + row * (cell.height + gap)
  for (const [column, value] of grid.across.values.entries()) context.fillText(value, left(column), labelHeight / 2, cell.width)
  for (const [row, value] of grid.down.values.entries()) context.fillText(value, gap, top(row) + cell.height / 2, labelWidth - 2 * gap)
  for (const each of grid.cells) {
    const address = runOf(grid, each)?.images[0]?.address
    if (address === undefined) continue
    const image = new Image()
    image.src = withBase(address)
    await image.decode()
    context.drawImage(image, left(each.column), top(each.row), cell.width, cell.height)
  }
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (blob) downloadBlob(blob, 'sepia-grid.png')
}
