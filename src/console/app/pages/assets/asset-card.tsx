import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { byteText } from '../../parts/byte-text.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Thumbnail } from '../../parts/thumbnail.tsx'
import { showFailure, showToast } from '../../state/toasts.ts'
import { deleteAsset, kindNames, kindOf, type ShownAsset, setPicture } from './asset-requests.ts'

const marks = {
  ready: { tone: 'good', label: t`ready` },
  rejected: { tone: 'bad', label: t`rejected` },
  uploading: { tone: 'busy', label: t`uploading` },
  ready_to_upload: { tone: 'busy', label: t`waiting for its file` },
  deleted: { tone: 'bad', label: t`deleted` },
} as const satisfies Record<ShownAsset['status'], object>

/** One asset: its picture, kind and trigger words, and its deletion. */
export function AssetCard({ asset, mayChange, reload }: { asset: ShownAsset; mayChange: boolean; reload: () => Promise<void> }): VNode {
  const sure = useSignal(false)
  const shown = useSignal(0)
  const kind = kindOf(asset)
  const words = asset.data.trigger_words ?? []
  const mark = marks[asset.status]
  const picture = `/v1/assets/${asset.id}/picture`
  const act = (work: Promise<unknown>, fallback?: string) =>
    work
      .then(reload)
      .catch((error: unknown) =>
        fallback !== undefined && !(error instanceof Error && 'status' in error) ? showToast(fallback) : showFailure(error),
      )
  const choose = (file: File | undefined) => {
    if (file === undefined) return
    void act(
      setPicture(asset.id, file).then(() => {
        shown.value++
      }),
      t`This browser can’t read the file as an image.`,
    )
  }
  return (
    <article class="sheet stack asset">
      {asset.has_picture ? (
        <Thumbnail class="asset-picture" address={picture} changes={shown.value} alt={t`What ${asset.name} does`} across={320} />
      ) : null}
      <div class="stack tight">
        <div class="row">
          <h2>{asset.name}</h2>
          <span class={`mark ${mark.tone}`}>{mark.label}</span>
          {asset.is_public ? <span class="mark">{t`public`}</span> : null}
        </div>
        <span class="soft">
          {kindNames[kind]}, {byteText(asset.size_bytes)}
        </span>
      </div>
      {asset.status_details === '' ? null : <p lang="en">{asset.status_details}</p>}
      {asset.description === '' ? null : <p>{asset.description}</p>}
      {words.length === 0 ? null : (
        <div class="stack tight">
          <span class="field-label">{t`Trigger words`}</span>
          <div class="row">
            <code>{words.join(', ')}</code>
            <CopyButton text={words.join(', ')} />
          </div>
        </div>
      )}
      {kind === 'lora' && asset.status === 'ready' ? (
        <div class="row">
          <code>{`<lora:${asset.name}:1>`}</code>
          <CopyButton text={`<lora:${asset.name}:1>`} />
        </div>
      ) : null}
      {mayChange ? (
        <div class="row">
          <label class="button quiet small">
            <input
              type="file"
              class="hidden-text"
              accept="image/png,image/jpeg,image/webp"
              onChange={(event) => choose(event.currentTarget.files?.[0])}
            />
            {asset.has_picture ? t`Change the image` : t`Add an image`}
            <span class="hidden-text"> {t`of ${asset.name}`}</span>
          </label>
          <Button
            tone="quiet"
            size="small"
            icon="trash"
            onClick={async () => {
              sure.value = !sure.value
              if (!sure.value) await act(deleteAsset(asset.id))
            }}
            about={asset.name}
          >
            {sure.value ? t`Delete for good` : t`Delete`}
          </Button>
        </div>
      ) : null}
    </article>
  )
}
