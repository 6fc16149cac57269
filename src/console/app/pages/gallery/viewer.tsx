import type { VNode } from 'preact'
import { findInference } from '../../interface/inference-requests.ts'
import { send } from '../../interface/request.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useResource } from '../../state/resource.ts'
import { navigate } from '../../state/router.ts'
import { changeImageSettings } from '../images/form/image-settings.ts'
import type { ShownImage } from '../images/runs/output-facts.ts'
import { startFromImage } from '../images/start/start-from-image.ts'
import { readEmbeddedText } from './embedded-text.ts'
import { type ImageParameters, parseParameters, settingsOf } from './image-parameters.ts'

/** One picture large, with the parameters that its file carries. */
export function Viewer({ image, onClose }: { image: ShownImage; onClose: () => void }): VNode {
  const { resource, reload } = useResource(
    async (signal) => {
      const [inference, response] = await Promise.all([findInference(image.inferenceId, signal), send(image.address, { signal })])
      const text = readEmbeddedText(new Uint8Array(await response.arrayBuffer()))
      return { inference, parameters: text === null ? null : parseParameters(text) }
    },
    [image.address],
  )
  return (
    <Dialog title="Picture" onClose={onClose} large>
      <div class="viewer">
        <div class="viewer-picture">
          <img src={image.address} alt="" />
        </div>
        <div class="stack">
          <Loaded resource={resource} retry={() => void reload()}>
            {({ inference, parameters }) => (
              <>
                {parameters ? <ParameterList parameters={parameters} /> : <p class="soft">This file carries no parameters.</p>}
                {inference.expiresAt === null ? null : (
                  <p class="faint">
                    Deleted <Moment at={inference.expiresAt} />. Download it to keep it.
                  </p>
                )}
                <div class="row">
                  <Button icon="download" href={image.address} download>
                    Download
                  </Button>
                  <Button icon="brush" onClick={() => void startFromImage(image.address)}>
                    Start from it
                  </Button>
                  {parameters ? (
                    <Button
                      icon="again"
                      onClick={() => {
                        changeImageSettings(settingsOf(parameters))
                        onClose()
                        navigate('/console/images')
                      }}
                    >
                      Use its settings
                    </Button>
                  ) : null}
                </div>
                <a href={`/console/requests/${encodeURIComponent(image.inferenceId)}`}>The request</a>
              </>
            )}
          </Loaded>
        </div>
      </div>
    </Dialog>
  )
}

function ParameterList({ parameters }: { parameters: ImageParameters }): VNode {
  return (
    <>
      <p>{parameters.prompt}</p>
      {parameters.negativePrompt ? <p class="soft">Without: {parameters.negativePrompt}</p> : null}
      <dl class="facts">
        {[...parameters.fields].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
