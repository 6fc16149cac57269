/** PATCH /console/api/account. */
export interface AccountChange {
  readonly name: string
  readonly email: string
  readonly currentPassword: string
  /** Left out = the one there is. */
  readonly newPassword?: string
  /** Whether one's own access tokens end too; left out = they stay. */
  readonly revokeTokens?: boolean
}
