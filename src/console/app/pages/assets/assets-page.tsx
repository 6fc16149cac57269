import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Account } from '../../../../core/account.ts'
import { t } from '../../language/t.ts'
import { DropZone } from '../../parts/drop-zone.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { useResource } from '../../state/resource.ts'
import { showToast } from '../../state/toasts.ts'
import { AssetCard } from './asset-card.tsx'
import { listAssets } from './asset-requests.ts'
import { type ReadWeights, readWeights } from './read-weights.ts'
import { UploadDialog } from './upload-dialog.tsx'

type Chosen = Exclude<ReadWeights, { readonly refusal: string }> & { readonly file: File }

/** The account's assets and the public ones. */
export function AssetsPage({ account }: { account: Account }): VNode {
  const { resource, reload } = useResource(listAssets, [])
  const chosen = useSignal<Chosen | null>(null)
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    const read = await readWeights(file)
    if ('refusal' in read) showToast(`${file.name} ${read.refusal}.`)
    else chosen.value = { ...read, file }
  }
  return (
    <Page
      title={t`LoRAs & checkpoints`}
      intro={t`Checkpoints, LoRAs and other files that your requests can use with the installed models.`}
    >
      <DropZone accept=".safetensors" take={(file) => void take(file)}>{t`Drop a .safetensors file here, or choose one`}</DropZone>
      <Loaded resource={resource} retry={reload}>
        {(assets) =>
          assets.length > 0 ? (
            <div class="assets">
              {assets.map((asset) => (
                <AssetCard
                  key={asset.id}
                  asset={asset}
                  mayChange={asset.tenant_uuid === account.id || account.role === 'owner'}
                  reload={reload}
                />
              ))}
            </div>
          ) : (
            <EmptyState drawing="page" title={t`Nothing uploaded yet`}>
              <p>{t.rich`Drop a ${<code>.safetensors</code>} file above; it is checked before it is uploaded.`}</p>
            </EmptyState>
          )
        }
      </Loaded>
      {chosen.value ? (
        <UploadDialog
          {...chosen.value}
          mayShare={account.role === 'owner'}
          onClose={() => (chosen.value = null)}
          onUploaded={() => {
            chosen.value = null
            showToast(t`Ready to use in requests.`)
            void reload()
          }}
        />
      ) : null}
    </Page>
  )
}
