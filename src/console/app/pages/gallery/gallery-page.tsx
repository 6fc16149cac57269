import { signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import type { GalleryPicture } from '../../../contract/gallery.ts'
import { requestFile } from '../../interface/request.ts'
import { momentText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ConfirmDialog } from '../../parts/dialog-form.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Segments } from '../../parts/fields/segments.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { PromptSearch } from '../../parts/prompt-search.tsx'
import { useResource } from '../../state/resource.ts'
import { navigate, pathBehind } from '../../state/router.ts'
import { announce, showToast } from '../../state/toasts.ts'
import { downloadBlob } from './download-blob.ts'
import { keepPicture, listPictures, removeKept, setHidden, type Wall } from './gallery-requests.ts'
import { PictureTile } from './picture-tile.tsx'
import { Viewer } from './viewer.tsx'
import { zip } from './zip.ts'

const walls = [
  { value: 'stored', label: t`Last 24 hours` },
  { value: 'kept', label: t`Saved` },
] as const

/** The account's stored pictures, and below `/saved` its kept copies. */
export function GalleryPage(): VNode {
  const wall: Wall = pathBehind('/console/gallery') === 'saved' ? 'kept' : 'stored'
  const search = useSignal('')
  const { cursor, chosen } = useMemo(newPlace, [wall])
  const shown = useSignal<string | null>(null)
  const comparing = useSignal(false)
  const leaving = useSignal<GalleryPicture | null>(null)
  const { resource, reload } = useResource(
    (signal) => listPictures(wall, { search: search.value, after: cursor.value }, signal),
    [wall, search.value, cursor.value],
  )
  const change = async (work: Promise<unknown>) => {
    await work
    await reload()
  }
  const pictures = resource.value.state === 'ready' ? resource.value.value.pictures : []
  const choose = (picture: GalleryPicture) => {
    const next = new Map(chosen.value)
    if (!next.delete(picture.key)) next.set(picture.key, picture)
    chosen.value = next
  }
  const remove = async (picture: GalleryPicture) => {
    shown.value = null
    if (picture.expiresAt === null) {
      leaving.value = picture
      return
    }
    await setHidden(picture, true)
    showToast(t`Removed from the gallery. The image is deleted from its request on ${momentText(picture.expiresAt)}.`, {
      label: t`Undo`,
      run: () => change(setHidden(picture, false)),
    })
    await reload()
  }
  const at = pictures.findIndex(({ key }) => key === shown.value)
  const current = pictures[at]
  const move = (by: 1 | -1) => {
    const next = (at + by + pictures.length) % pictures.length
    shown.value = pictures[next]?.key ?? null
    announce([t`Image ${next + 1} of ${pictures.length}`, pictures[next]?.prompt].filter(Boolean).join(': '))
  }
  return (
    <Page
      title={t`Gallery`}
      width="wide"
      intro={t`Images from the Images page and from asynchronous requests of your programs. Each is deleted 24 hours after it was drawn unless you save it.`}
      actions={
        <Segments
          label={t`Which images`}
          value={wall}
          options={walls}
          onChange={(next) => navigate(next === 'kept' ? '/console/gallery/saved' : '/console/gallery')}
        />
      }
    >
      <div class="gallery-bar">
        <PromptSearch search={search} cursor={cursor} />
        {chosen.value.size > 0 ? (
          <div class="row" role="status">
            <span class="faint numbers">{t`${chosen.value.size} selected`}</span>
            <Button size="small" icon="download" onClick={() => download([...chosen.value.values()])}>{t`Download`}</Button>
            <Button
              size="small"
              icon="compare"
              disabled={chosen.value.size !== 2}
              onClick={() => (comparing.value = true)}
            >{t`Compare two`}</Button>
            <Button tone="quiet" size="small" onClick={() => (chosen.value = new Map())}>{t`Clear selection`}</Button>
          </div>
        ) : null}
      </div>
      <Loaded resource={resource} retry={reload}>
        {({ next }) =>
          pictures.length > 0 || cursor.value !== null || next !== null ? (
            <>
              <ul class="gallery">
                {pictures.map((picture) => (
                  <PictureTile
                    key={picture.key}
                    picture={picture}
                    chosen={chosen.value.has(picture.key)}
                    onChoose={() => choose(picture)}
                    onOpen={() => (shown.value = picture.key)}
                    onKeep={() => change(keepPicture(picture))}
                    onRemove={() => remove(picture)}
                  />
                ))}
              </ul>
              <Pager cursor={cursor} next={next} />
            </>
          ) : (
            <Nothing wall={wall} searched={search.value.trim() !== ''} />
          )
        }
      </Loaded>
      {current ? (
        <Viewer
          image={current}
          onClose={() => (shown.value = null)}
          onKeep={current.expiresAt !== null && current.kept === null ? () => change(keepPicture(current)) : undefined}
          onMove={pictures.length > 1 ? move : undefined}
          key="viewer"
        />
      ) : null}
      {comparing.value ? <Comparison pictures={[...chosen.value.values()]} onClose={() => (comparing.value = false)} /> : null}
      {leaving.value ? (
        <ConfirmDialog
          title={t`Delete this saved image?`}
          action={t`Delete`}
          run={async () => {
            if (leaving.value?.kept) await removeKept(leaving.value.kept)
            await reload()
          }}
          onClose={() => (leaving.value = null)}
        >{t`After its request is deleted, this is the only copy. You can’t undo this.`}</ConfirmDialog>
      ) : null}
    </Page>
  )
}

/** The shown page of a list and the selection on it, which belong to that list only. */
function newPlace() {
  return { cursor: signal<string | null>(null), chosen: signal<ReadonlyMap<string, GalleryPicture>>(new Map()) }
}

function Nothing({ wall, searched }: { wall: Wall; searched: boolean }): VNode {
  if (searched)
    return (
      <EmptyState drawing="frame" title={t`No matches`}>
        <p>{t`No image here was drawn with these words.`}</p>
      </EmptyState>
    )
  return (
    <EmptyState drawing="frame" title={t`No images here yet`}>
      <p>{wall === 'kept' ? t`To save an image until you delete it, press its star.` : t`Images stay here for 24 hours.`}</p>
      <div class="row">
        <Button href="/console/images">{t`Draw the first`}</Button>
      </div>
    </EmptyState>
  )
}

function Comparison({ pictures, onClose }: { pictures: readonly GalleryPicture[]; onClose: () => void }): VNode {
  return (
    <Dialog title={t`Two images`} onClose={onClose} large>
      <div class="pictures-compared">
        {pictures.map((picture) => (
          <figure key={picture.key}>
            <img src={picture.address} alt={picture.prompt ?? t`Drawn with seed ${picture.seed}`} />
            <figcaption class="soft">
              {picture.prompt ?? ''} <span class="faint numbers">{t`seed ${picture.seed}`}</span>
            </figcaption>
          </figure>
        ))}
      </div>
    </Dialog>
  )
}

async function download(pictures: readonly GalleryPicture[]): Promise<void> {
  const files = []
  for (const [at, { address, seed }] of pictures.entries()) {
    const file = await requestFile(address)
    const name = `${String(at + 1).padStart(3, '0')}-sepia-${seed}.${file.type.replace('image/', '') || 'png'}`
    files.push({ name, bytes: new Uint8Array(await file.arrayBuffer()) })
  }
  downloadBlob(zip(files), 'sepia-images.zip')
}
