export { type WaitingRooms, waitingRooms } from './waiting-rooms.ts'
export { waitingRoomRoutes } from './waiting-room.routes.ts'
