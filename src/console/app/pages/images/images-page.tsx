import { useSignal, useSignalEffect } from '@preact/signals'
import type { RefObject, VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { serviceAddress } from '../../browser/base-path.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { CodeSample } from '../../parts/code-sample.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { Page } from '../../parts/page.tsx'
import { drawingModels, imageRouteOf, loadImageModels, models, origins, uploadedModels } from '../../state/models.ts'
import { useResource } from '../../state/resource.ts'
import { ImageForm } from './form/image-form.tsx'
import { chooseImageModel, imageSettings } from './form/image-settings.ts'
import { chosenModel, nextDrawing } from './form/next-drawing.ts'
import { GridDialog } from './grid/grid-dialog.tsx'
import { GridView } from './grid/grid-view.tsx'
import { type ImageGrid, imageGrids } from './grid/image-grids.ts'
import { imageSamples } from './image-samples.ts'
import { restoreEarlierRuns } from './runs/earlier-runs.ts'
import { type ImageRun, imageRuns } from './runs/image-runs.ts'
import { RunView } from './runs/run-view.tsx'

/** The image playground: a form on one side, the drawings on the other. */
export function ImagesPage(): VNode {
  const { resource, reload } = useResource(loadImageModels, [])
  const code = useSignal(false)
  const grid = useSignal(false)
  const board = { items: boardItems(), element: useNewestInView() }
  useEffect(() => void restoreEarlierRuns(), [])
  useSignalEffect(() => {
    if (models.value === null || uploadedModels.value === null) return
    const known = drawingModels()
    if (known[0] && !known.some((model) => model.id === imageSettings.value.model)) chooseImageModel(known[0])
  })
  const model = chosenModel()
  const samples = () => {
    if (model === undefined) return []
    const drawing = nextDrawing(model)
    const body = drawing.prompt ? drawing : { ...drawing, prompt: t`a glossy tiger on a light blue background` }
    return imageSamples(`${origins.value.imageUrl ?? serviceAddress()}${imageRouteOf(body.checkpoint)}`, body)
  }
  return (
    <Page
      title={t`Images`}
      width="wide"
      intro={t`Drawings continue when you leave this page. The gallery keeps each for 24 hours unless you save it.`}
      actions={
        <>
          <Button
            tone="quiet"
            size="small"
            icon="grid"
            disabled={model === undefined}
            onClick={() => (grid.value = true)}
          >{t`X/Y grid`}</Button>
          <Button
            tone="quiet"
            size="small"
            icon="code"
            disabled={model === undefined}
            onClick={() => (code.value = true)}
          >{t`Show as code`}</Button>
        </>
      }
    >
      {resource.value.state === 'failed' ? <FailureNote failure={resource.value.failure} retry={reload} /> : null}
      <div class="studio">
        <ImageForm isUnknown={resource.value.state === 'failed'} />
        <section class="studio-board" aria-label={t`Drawings`} ref={board.element}>
          {board.items.length === 0 ? (
            <EmptyState drawing="frame" title={t`No images yet`}>
              <p>{t`Describe an image in English and press Draw. The built-in model draws animals, food and everyday things on plain backgrounds.`}</p>
            </EmptyState>
          ) : (
            board.items.map((item) => ('cells' in item ? <GridView grid={item} key={item.key} /> : <RunView run={item} key={item.key} />))
          )}
        </section>
      </div>
      {grid.value && model ? <GridDialog model={model} onClose={() => (grid.value = false)} /> : null}
      {code.value ? (
        <Dialog title={t`Show as code`} onClose={() => (code.value = false)}>
          <p class="soft">{t.rich`These settings as a call. Set the environment variable TOKEN to one of your
            ${<a href="/console/tokens">{t`access tokens`}</a>}.`}</p>
          <CodeSample samples={samples()} />
        </Dialog>
      ) : null}
    </Page>
  )
}

const narrow = '(max-width: 64rem)'

/** Scrolls a newly requested drawing into view. */
function useNewestInView(): RefObject<HTMLElement | null> {
  const board = useRef<HTMLElement>(null)
  const newest = boardItems()[0]?.key ?? 0
  // Drawings from before the page was opened stay where they are.
  const seen = useRef(Date.now())
  useEffect(() => {
    if (newest <= seen.current) return
    seen.current = newest
    const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth'
    board.current?.querySelector('.run')?.scrollIntoView({ behavior, block: matchMedia(narrow).matches ? 'start' : 'nearest' })
  }, [newest])
  return board
}

/** Grids, and runs that do not belong to one, newest first. */
function boardItems(): readonly (ImageRun | ImageGrid)[] {
  const alone = imageRuns.value.filter(({ grid }) => grid === null)
  return [...alone, ...imageGrids.value].toSorted((one, other) => other.key - one.key)
}
