// Reads messages with acc-broadcast, as any program with it does, and prints some of their values.
//
//     acc_broadcast_values.cjs ADDRESS PORT COUNT
//     ready                              when it is about to register
//     registered ID SUCCESS              the result of the registration
//     track NAME ID METRES               the response to the request for the track
//     list CARS                          the response to the request for the entry list: the cars, sorted
//     entry MODEL NUMBER DRIVERS NAME    each car of that list, and the last name of its first driver
//     update EVENT SESSION TYPE TIME     the session; the time is the bits of a float
//     car CAR GEAR KMH POSITION X LAPS DELTA BEST LAST CURRENT
//                                        for each car; X is the bits of a float, and times that are not set are null
//     event TYPE CAR                     for each event
//
// It ends after COUNT messages of the last three kinds. The package has the game's port and address as constants. Its datagrams are sent to
// another port here, so that tests can run side by side.
const dgram = require('dgram');

const print = (line) => process.stdout.write(`${line}\n`);

const [port, count] = [Number(process.argv[3]), Number(process.argv[4])];
const createSocket = dgram.createSocket;
dgram.createSocket = (...args) => {
  const socket = createSocket(...args);
  const send = socket.send.bind(socket);
  socket.send = (...values) => send(...values.map((value) => (value === 9000 ? port : value)));
  return socket;
};
// The package ends the process before its last datagram has left.
const exit = process.exit;
process.exit = () => {};

const AccBroadcast = require('acc-broadcast');

const bits = (value) => {
  const buffer = Buffer.alloc(4);
  buffer.writeFloatBE(value);
  return buffer.toString('hex');
};

print('ready');
const client = new AccBroadcast('a client', 'any password', '', 100);
let left = count;
const message = (line) => {
  print(line);
  left -= 1;
  if (left === 0) {
    client.disconnect();
    // What was sent before has left when this has.
    client.socket.send(Buffer.alloc(0), port, '127.0.0.1', () => exit(0));
  }
};
client.on('registration_result', (result) => {
  print(`registered ${result.ConnectionId} ${result.ConnectionSuccess}`);
  // The package requests them only if it may also send commands.
  client.requestTrackData();
  client.requestEntryList();
});
client.on('track_data', (track) => print(`track ${track.TrackName} ${track.TrackId} ${track.TrackMeters}`));
client.on('entry_list', (cars) => print(`list ${[...cars.keys()].sort((a, b) => a - b).join(' ')}`));
client.on('entry_list_car', (car) => {
  print(`entry ${car.CarModelType} ${car.RaceNumber} ${car.Drivers.length} ${car.Drivers[0].LastName}`);
});
client.on('realtime_update', (update) => {
  message(`update ${update.EventIndex} ${update.SessionIndex} ${update.SessionType} ${bits(update.sessionTime)}`);
});
client.on('realtime_car_update', (car) => {
  const laps = [car.BestSessionLap, car.LastLap, car.CurrentLap].map((lap) => String(lap.LaptimeMS));
  const place = `${car.CarIndex} ${car.Gear} ${car.Kmh} ${car.Position} ${bits(car.WorldPosX)}`;
  message(`car ${place} ${car.Laps} ${car.Delta} ${laps.join(' ')}`);
});
client.on('broadcasting_event', (event) => message(`event ${event.Type} ${event.CarId}`));
