import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { Thumbnail } from '../../../parts/thumbnail.tsx'
import { models, uploadedModels } from '../../../state/models.ts'
import { Viewer } from '../../gallery/viewer.tsx'
import type { ShownImage } from '../runs/output-facts.ts'
import { cancelGrid, drawCell, drawMissing, type GridCell, type ImageGrid, isOpen, missingOf, runOf } from './image-grids.ts'
import { downloadSheet } from './sheet.ts'

/** A model's family decides its route. Right after a reload the grid is there before the models are. */
const areModelsKnown = () => models.value !== null && uploadedModels.value !== null

/** A grid of pictures with its axes' values. */
export function GridView({ grid }: { grid: ImageGrid }): VNode {
  const shown = useSignal<ShownImage | null>(null)
  const open = isOpen(grid)
  const missing = missingOf(grid).length
  const done = grid.cells.filter((cell) => runOf(grid, cell)?.state === 'done').length
  return (
    <article class="run grid-run" data-state={open ? 'drawing' : 'done'}>
      <header class="run-head">
        <h2 dir="auto" title={grid.prompt}>
          {grid.prompt}
        </h2>
        <span class="row">
          <span class="faint numbers" role="status">
            {t`${done} of ${grid.cells.length} images`}
          </span>
          {open ? <Button tone="quiet" size="small" icon="stop" onClick={() => cancelGrid(grid)}>{t`Cancel all`}</Button> : null}
          {!open && missing > 1 ? (
            <Button
              tone="quiet"
              size="small"
              icon="again"
              disabled={!areModelsKnown()}
              onClick={() => void drawMissing(grid)}
            >{t`Draw the missing ${missing}`}</Button>
          ) : null}
          {done > 0 ? (
            <Button tone="quiet" size="small" icon="download" onClick={() => downloadSheet(grid)}>{t`Download as one image`}</Button>
          ) : null}
        </span>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section class="grid-scroll" tabIndex={0} aria-label={t`${grid.across.label} across, ${grid.down.label} down`}>
        <table class="image-grid">
          <thead>
            <tr>
              <th scope="col">
                <span class="faint">{[grid.down.label, grid.across.label].filter((label) => label !== '').join(' / ')}</span>
              </th>
              {grid.across.values.map((value) => (
                <th scope="col" key={value}>
                  {value}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {grid.down.values.map((value, row) => (
              <tr key={value}>
                <th scope="row">{value}</th>
                {grid.cells
                  .filter((cell) => cell.row === row)
                  .map((cell) => (
                    <td key={cell.column}>
                      <Cell grid={grid} cell={cell} show={(image) => (shown.value = image)} />
                    </td>
                  ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {shown.value ? <Viewer image={shown.value} onClose={() => (shown.value = null)} /> : null}
    </article>
  )
}

function Cell({ grid, cell, show }: { grid: ImageGrid; cell: GridCell; show: (image: ShownImage) => void }): VNode {
  const run = runOf(grid, cell)
  const image = run?.images[0]
  const { width, height, prompt } = cell.body
  const label = [grid.across.values[cell.column], grid.down.values[cell.row]].filter(Boolean).join(', ')
  if (image && !image.removedForSafety)
    return (
      <button type="button" class="plate-picture" style={{ aspectRatio: `${width} / ${height}` }} onClick={() => show(image)}>
        <Thumbnail address={image.address} alt={`${prompt}: ${label}`} across={300} />
      </button>
    )
  const ended = run === undefined ? grid.stopped : ['failed', 'cancelled', 'done'].includes(run.state)
  return (
    <div class={ended ? 'grid-cell' : 'grid-cell ghost'} style={{ aspectRatio: `${width} / ${height}` }}>
      {ended ? (
        <>
          <span class="field-hint">{run?.failure ?? (image ? t`Removed by the safety check.` : t`Not drawn.`)}</span>
          <Button size="small" icon="again" disabled={!areModelsKnown()} onClick={() => void drawCell(grid, cell)}>
            {t`Draw`}
            <span class="hidden-text">{label}</span>
          </Button>
        </>
      ) : (
        <span class="field-hint numbers">{run?.progress ? t`${run.progress.step} of ${run.progress.total}` : t`queued`}</span>
      )}
    </div>
  )
}
