import type { Account } from '../../../core/account.ts'
import { t } from '../language/t.ts'
import type { IconName } from '../parts/icon.tsx'

/** A page in the navigation; addresses outside /console are not pages of the app. */
export interface PageEntry {
  readonly to: string
  readonly label: string
  readonly icon: IconName
}

interface PageGroup {
  readonly title: string
  readonly entries: readonly PageEntry[]
}

const make: readonly PageEntry[] = [
  { to: '/console/chat', label: t`Chat`, icon: 'chat' },
  { to: '/console/images', label: t`Images`, icon: 'image' },
  { to: '/console/gallery', label: t`Gallery`, icon: 'gallery' },
  { to: '/console/assets', label: t`LoRAs & checkpoints`, icon: 'brush' },
]
const see: readonly PageEntry[] = [
  { to: '/console/requests', label: t`Requests`, icon: 'list' },
  { to: '/console/usage', label: t`Usage`, icon: 'chart' },
  { to: '/console/models', label: t`Models`, icon: 'model' },
]
const settings: readonly PageEntry[] = [
  { to: '/console/tokens', label: t`Access tokens`, icon: 'key' },
  { to: '/console/webhooks', label: t`Webhooks`, icon: 'bell' },
  { to: '/docs/api', label: t`API reference`, icon: 'code' },
]
const owners: readonly PageEntry[] = [
  { to: '/console/people', label: t`People`, icon: 'people' },
  { to: '/console/audit', label: t`Audit log`, icon: 'check' },
  { to: '/console/service', label: t`Service`, icon: 'pulse' },
]

/** The pages that an account may see, in groups. */
export function pageGroups({ role }: Pick<Account, 'role'>): readonly PageGroup[] {
  return [
    { title: t`Playground`, entries: make },
    { title: t`Records`, entries: see },
    { title: t`Settings`, entries: role === 'owner' ? [...settings, ...owners] : settings },
  ]
}
