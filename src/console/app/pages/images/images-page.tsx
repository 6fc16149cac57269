import { useSignal, useSignalEffect } from '@preact/signals'
import type { VNode } from 'preact'
import { Button } from '../../parts/button.tsx'
import { CodeSample } from '../../parts/code-sample.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { Page } from '../../parts/page.tsx'
import { imageRouteOf, loadModels, modelsOf, origins } from '../../state/models.ts'
import { useResource } from '../../state/resource.ts'
import { ImageForm } from './image-form.tsx'
import { imageRequestBody } from './image-request-body.ts'
import { imageRuns } from './image-runs.ts'
import { imageSamples } from './image-samples.ts'
import { chooseImageModel, imageSettings } from './image-settings.ts'
import { RunView } from './run-view.tsx'
import { startingImage } from './starting-image.ts'

/** The image playground: a form on one side, what was drawn on the other. */
export function ImagesPage(): VNode {
  const { resource, reload } = useResource(loadModels, [])
  const code = useSignal(false)
  useSignalEffect(() => {
    const known = modelsOf('image')
    if (known[0] && !known.some((model) => model.id === imageSettings.value.model)) chooseImageModel(known[0])
  })
  const samples = () => {
    const body = imageRequestBody(imageSettings.value, startingImage.value)
    return imageSamples(`${origins.value.imageUrl ?? location.origin}${imageRouteOf(body.model)}`, body)
  }
  return (
    <Page
      title="Images"
      width="wide"
      intro="Each drawing runs as an asynchronous request, so it goes on when you leave, and waits in the gallery."
      actions={
        <Button
          tone="quiet"
          size="small"
          icon="code"
          onClick={() => {
            code.value = true
          }}
        >
          Show as code
        </Button>
      }
    >
      {resource.value.state === 'failed' ? <FailureNote failure={resource.value.failure} retry={() => void reload()} /> : null}
      <div class="studio">
        <ImageForm />
        <section class="studio-board" aria-label="Drawings">
          {imageRuns.value.length === 0 ? (
            <EmptyState drawing="frame" title="An empty frame">
              <p>Describe a picture and press Draw. The built-in model knows animals, food and everyday things on plain backgrounds.</p>
            </EmptyState>
          ) : (
            imageRuns.value.map((run) => <RunView run={run} key={run.key} />)
          )}
        </section>
      </div>
      {code.value ? (
        <Dialog title="Show as code" onClose={() => (code.value = false)}>
          <p class="soft">
            These settings as a call. Put one of your <a href="/console/tokens">access tokens</a> where it says TOKEN.
          </p>
          <CodeSample samples={samples()} />
        </Dialog>
      ) : null}
    </Page>
  )
}
