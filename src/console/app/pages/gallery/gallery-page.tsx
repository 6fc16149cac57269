import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { GalleryPage as GalleryAnswer } from '../../../contract/gallery.ts'
import { imageAddress } from '../../interface/image-output.ts'
import { request } from '../../interface/request.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { useResource } from '../../state/resource.ts'
import type { ShownImage } from '../images/runs/output-facts.ts'
import { Viewer } from './viewer.tsx'

/** Every picture of the account that is still stored. */
export function GalleryPage(): VNode {
  const cursor = useSignal<string | null>(null)
  const shown = useSignal<ShownImage | null>(null)
  const { resource, reload } = useResource(
    (signal) =>
      request<GalleryAnswer>(`/console/api/gallery${cursor.value ? `?after=${encodeURIComponent(cursor.value)}` : ''}`, { signal }),
    [cursor.value],
  )
  return (
    <Page title="Gallery" intro="Pictures from the playground and from your programs. Each is deleted 24 hours after it was stored.">
      <Loaded resource={resource} retry={() => void reload()}>
        {({ pictures, next }) =>
          pictures.length > 0 || cursor.value !== null || next !== null ? (
            <>
              <ul class="gallery">
                {pictures.map((picture) => {
                  const image = { ...picture, address: imageAddress(picture.inferenceId, picture.index) }
                  return (
                    <li class="plate" key={image.address}>
                      <button type="button" class="plate-picture" onClick={() => (shown.value = image)}>
                        <img src={image.address} alt={`Drawn with seed ${image.seed}`} loading="lazy" />
                      </button>
                      <span class="plate-foot">
                        <span>
                          deleted <Moment at={picture.expiresAt} />
                        </span>
                      </span>
                    </li>
                  )
                })}
              </ul>
              <Pager cursor={cursor} next={next} />
            </>
          ) : (
            <EmptyState drawing="frame" title="Bare walls">
              <p>Pictures hang here for 24 hours after they were drawn.</p>
              <div class="row">
                <Button href="/console/images">Draw the first</Button>
              </div>
            </EmptyState>
          )
        }
      </Loaded>
      {shown.value ? <Viewer image={shown.value} onClose={() => (shown.value = null)} key={shown.value.address} /> : null}
    </Page>
  )
}
