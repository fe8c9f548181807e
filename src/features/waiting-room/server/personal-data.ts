import type { PersonalDataSource } from '#platform/personal-data.ts'
import { leaveLines } from './waiting-room.repository.ts'

/** Places in the lines of contests. A line goes with the rush. */
export const waitingRoomPersonalData = {
  name: 'waiting_places',
  columns: ['waiting_places.user_id'],
  async erase(trx, { userId }) {
    await leaveLines(trx, userId)
    return { rows: 0 }
  },
} satisfies PersonalDataSource
