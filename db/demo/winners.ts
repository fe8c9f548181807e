import { submitClaim } from '#features/draws/server/index.ts'
import { personOf } from '../story/people.ts'
import { unclaimedPrizes } from './demo.repository.ts'

/** What invented people do when they have won: they claim the prize, and let their first name and place be shown. */
export async function claimPrizes(deps: Parameters<typeof submitClaim>[0]): Promise<void> {
  for (const { slug, user_id: userId, username } of await unclaimedPrizes(deps.db)) {
    const [given = ''] = username.split('.')
    const firstName = given.charAt(0).toUpperCase() + given.slice(1)
    const { name, street, postcode, city, country } = personOf(userId)
    await submitClaim(
      deps,
      { slug, userId },
      {
        name: `${firstName} ${name.split(' ')[1]}`,
        street,
        extra: '',
        postcode,
        city,
        country,
        phone: '+33639980000',
        publish: true,
        first_name: firstName,
        place: city,
        picture: false,
        is_adult: true,
        is_eligible: true,
      },
    )
  }
}
