import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { readEmbeddedText } from '../../../../core/images/embedded-text.ts'
import { type ImageParameters, parseParameters } from '../../../../core/images/parameters-text.ts'
import type { GalleryPicture } from '../../../contract/gallery.ts'
import { requestFile } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useResource } from '../../state/resource.ts'
import { navigate } from '../../state/router.ts'
import { announce } from '../../state/toasts.ts'
import { changeImageSettings } from '../images/form/image-settings.ts'
import { startFromImage } from '../images/start/starting-image.ts'
import { settingsOf } from './image-parameters.ts'

interface ViewerProps {
  readonly image: Pick<GalleryPicture, 'address' | 'inferenceId'> & Partial<Pick<GalleryPicture, 'expiresAt'>>
  readonly onClose: () => void
  /** Keeps a copy; absent for pictures that are kept or cannot be. */
  readonly onKeep?: (() => Promise<unknown>) | undefined
  /** Shows another picture: 1 = the next, -1 = the previous. Absent when there is only this one. */
  readonly onMove?: ((by: 1 | -1) => void) | undefined
}

/** One picture at full size, with the parameters stored in its file. */
export function Viewer({ image, onClose, onKeep, onMove }: ViewerProps): VNode {
  const zoom = useSignal(1)
  const enlarge = (by: number) => {
    zoom.value = Math.min(8, Math.max(1, zoom.value * by))
    announce(t`Shown at ${zoom.value * 100} percent`)
  }
  // A layout effect, so that a key pressed before the next paint applies to the picture that is shown.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      // Arrow keys pan a picture that is larger than its frame.
      const moves = event.target instanceof Element && event.target.closest('.zoomed[data-zoomed]') !== null
      if (event.key === 'ArrowRight' && !moves) onMove?.(1)
      else if (event.key === 'ArrowLeft' && !moves) onMove?.(-1)
      else if (event.key === '+') enlarge(2)
      else if (event.key === '-') enlarge(1 / 2)
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [onMove])
  const { resource, reload } = useResource(
    async (signal) => {
      const file = await requestFile(image.address, { signal })
      const text = readEmbeddedText(new Uint8Array(await file.arrayBuffer()))
      return text === null ? null : parseParameters(text)
    },
    [image.address],
  )
  return (
    <Dialog title={t`Image`} onClose={onClose} large>
      <div class="viewer">
        <div class="stack tight">
          <ZoomedPicture address={image.address} zoom={zoom.value} />
          <div class="row between">
            <span class="row">
              {onMove ? (
                <>
                  <Button tone="quiet" size="small" icon="back" iconOnly onClick={() => onMove(-1)}>{t`Previous`}</Button>
                  <Button tone="quiet" size="small" icon="next" iconOnly onClick={() => onMove(1)}>{t`Next`}</Button>
                </>
              ) : null}
            </span>
            <span class="row">
              <Button tone="quiet" size="small" disabled={zoom.value <= 1} onClick={() => enlarge(1 / 2)}>{t`Smaller`}</Button>
              <Button tone="quiet" size="small" icon="zoom" disabled={zoom.value >= 8} onClick={() => enlarge(2)}>{t`Larger`}</Button>
            </span>
          </div>
        </div>
        <div class="stack">
          <Loaded resource={resource} retry={reload}>
            {(parameters) => (
              <>
                {parameters ? <ParameterList parameters={parameters} /> : <p class="soft">{t`This file has no parameters.`}</p>}
                {image.expiresAt && onKeep ? (
                  <p class="faint">{t.rich`Expires ${<Moment at={image.expiresAt} />} unless you save it.`}</p>
                ) : null}
                <div class="row">
                  <Button icon="download" href={image.address} download>{t`Download`}</Button>
                  {onKeep ? <Button icon="star" onClick={onKeep}>{t`Save`}</Button> : null}
                  <Button icon="brush" onClick={() => startFromImage(image.address)}>{t`Use as starting image`}</Button>
                  {parameters ? (
                    <Button
                      icon="again"
                      onClick={() => {
                        changeImageSettings(settingsOf(parameters))
                        onClose()
                        navigate('/console/images')
                      }}
                    >{t`Use its settings`}</Button>
                  ) : null}
                </div>
                <a href={`/console/requests/${encodeURIComponent(image.inferenceId)}`}>{t`View request`}</a>
              </>
            )}
          </Loaded>
        </div>
      </div>
    </Dialog>
  )
}

/** The pages' names of the parameters in files. */
const parameterNames: Readonly<Record<string, string>> = {
  Steps: t`Steps`,
  Sampler: t`Sampler`,
  'CFG scale': t`Guidance`,
  Seed: t`Seed`,
  Size: t`Size`,
  Model: t`Model`,
  Version: t`Drawn by`,
}

function ParameterList({ parameters }: { parameters: ImageParameters }): VNode {
  return (
    <>
      <p class="viewer-words" dir="auto">
        {parameters.prompt}
      </p>
      {parameters.negativePrompt ? <p class="viewer-words soft">{t`Without: ${parameters.negativePrompt}`}</p> : null}
      <Facts
        class="facts"
        of={[...parameters.fields].map(([name, value]) => [
          parameterNames[name] ?? name,
          name === 'Size' ? value.replace('x', ' × ') : value,
        ])}
      />
    </>
  )
}

/** A picture that fits its frame, or is larger and can be panned. */
function ZoomedPicture({ address, zoom }: { address: string; zoom: number }): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section class="viewer-picture zoomed" data-zoomed={zoom > 1 ? '' : undefined} tabIndex={0} aria-label={t`The image`}>
      <img
        src={address}
        alt=""
        style={zoom > 1 ? { width: `${zoom * 100}%`, maxWidth: 'none', maxHeight: 'none', imageRendering: 'pixelated' } : {}}
      />
    </section>
  )
}
