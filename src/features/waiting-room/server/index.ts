export { waitingRoomPersonalData } from './personal-data.ts'
export { type WaitingRooms, waitingRooms } from './waiting-rooms.ts'
export { waitingRoomRoutes } from './waiting-room.routes.ts'
