// Made by codegen from the .proto files.
pub(crate) const TELEMETRY_V1_LOBBYSESSIONSTATEFRAME: usize = 26;
pub(crate) const TELEMETRY_V1_TELEMETRYHEADER: usize = 45;
pub(crate) const TELEMETRY_V2_ENVELOPE: usize = 59;
pub(crate) const MESSAGES: &[Message] = &[
    Message {
        name: "engine.v1.BodyPart",
        fields: &[
            (2, "position", Shape::Fixed64s),
            (3, "forward", Shape::Fixed64s),
            (4, "left", Shape::Fixed64s),
            (5, "up", Shape::Fixed64s),
        ],
    },
    Message {
        name: "engine.v1.Disc",
        fields: &[
            (1, "position", Shape::Fixed64s),
            (2, "forward", Shape::Fixed64s),
            (3, "left", Shape::Fixed64s),
            (4, "up", Shape::Fixed64s),
            (5, "velocity", Shape::Fixed64s),
            (6, "bounce_count", Shape::Varint),
        ],
    },
    Message {
        name: "engine.v1.HandPart",
        fields: &[
            (1, "pos", Shape::Fixed64s),
            (3, "forward", Shape::Fixed64s),
            (4, "left", Shape::Fixed64s),
            (5, "up", Shape::Fixed64s),
        ],
    },
    Message {
        name: "engine.v1.LastScore",
        fields: &[
            (1, "disc_speed", Shape::Fixed64),
            (2, "team", Shape::Text),
            (3, "goal_type", Shape::Text),
            (4, "point_amount", Shape::Varint),
            (5, "distance_thrown", Shape::Fixed64),
            (6, "person_scored", Shape::Text),
            (7, "assist_scored", Shape::Text),
        ],
    },
    Message {
        name: "engine.v1.LastThrowInfo",
        fields: &[
            (1, "arm_speed", Shape::Fixed64),
            (2, "total_speed", Shape::Fixed64),
            (3, "off_axis_spin_deg", Shape::Fixed64),
            (4, "wrist_throw_penalty", Shape::Fixed64),
            (5, "rot_per_sec", Shape::Fixed64),
            (6, "pot_speed_from_rot", Shape::Fixed64),
            (7, "speed_from_arm", Shape::Fixed64),
            (8, "speed_from_movement", Shape::Fixed64),
            (9, "speed_from_wrist", Shape::Fixed64),
            (10, "wrist_align_to_throw_deg", Shape::Fixed64),
            (11, "throw_align_to_movement_deg", Shape::Fixed64),
            (12, "off_axis_penalty", Shape::Fixed64),
            (13, "throw_move_penalty", Shape::Fixed64),
        ],
    },
    Message {
        name: "engine.v1.PauseState",
        fields: &[
            (1, "paused_state", Shape::Text),
            (2, "unpaused_team", Shape::Text),
            (3, "paused_requested_team", Shape::Text),
            (4, "unpaused_timer", Shape::Fixed64),
            (5, "paused_timer", Shape::Fixed64),
        ],
    },
    Message {
        name: "engine.v1.PlayerBonesResponse",
        fields: &[
            (1, "user_bones", Shape::Message(13)),
            (2, "err_code", Shape::Varint),
        ],
    },
    Message {
        name: "engine.v1.PlayerRoot",
        fields: &[
            (1, "vr_left", Shape::Fixed64s),
            (2, "vr_position", Shape::Fixed64s),
            (3, "vr_forward", Shape::Fixed64s),
            (4, "vr_up", Shape::Fixed64s),
        ],
    },
    Message {
        name: "engine.v1.PlayerStats",
        fields: &[
            (1, "possession_time", Shape::Fixed64),
            (2, "points", Shape::Varint),
            (3, "saves", Shape::Varint),
            (4, "goals", Shape::Varint),
            (5, "stuns", Shape::Varint),
            (6, "passes", Shape::Varint),
            (7, "catches", Shape::Varint),
            (8, "steals", Shape::Varint),
            (9, "blocks", Shape::Varint),
            (10, "interceptions", Shape::Varint),
            (11, "assists", Shape::Varint),
            (12, "shots_taken", Shape::Varint),
        ],
    },
    Message {
        name: "engine.v1.SessionResponse",
        fields: &[
            (1, "orange_team_restart_request", Shape::Varint),
            (2, "session_id", Shape::Text),
            (3, "game_clock_display", Shape::Text),
            (4, "game_status", Shape::Text),
            (5, "session_ip", Shape::Text),
            (6, "match_type", Shape::Text),
            (7, "map_name", Shape::Text),
            (8, "disc", Shape::Message(1)),
            (11, "blue_round_score", Shape::Varint),
            (12, "orange_points", Shape::Varint),
            (14, "private_match", Shape::Varint),
            (15, "blue_team_restart_request", Shape::Varint),
            (16, "tournament_match", Shape::Varint),
            (17, "orange_round_score", Shape::Varint),
            (18, "total_round_count", Shape::Varint),
            (19, "blue_points", Shape::Varint),
            (20, "last_throw", Shape::Message(4)),
            (21, "player", Shape::Message(7)),
            (22, "pause", Shape::Message(5)),
            (23, "possession", Shape::Varints),
            (24, "left_shoulder_pressed", Shape::Fixed64),
            (25, "right_shoulder_pressed", Shape::Fixed64),
            (26, "left_shoulder_pressed2", Shape::Fixed64),
            (27, "right_shoulder_pressed2", Shape::Fixed64),
            (28, "rules_changed_by", Shape::Text),
            (29, "rules_changed_at", Shape::Varint),
            (30, "client_name", Shape::Text),
            (31, "last_score", Shape::Message(3)),
            (32, "teams", Shape::Message(10)),
            (34, "payload_multiplier", Shape::Fixed64),
            (35, "payload_checkpoint", Shape::Varint),
            (36, "payload_distance", Shape::Fixed64),
            (37, "payload_defenders", Shape::Varint),
            (38, "payload_speed", Shape::Fixed64),
            (39, "game_clock", Shape::Fixed64),
            (40, "err_code", Shape::Varint),
        ],
    },
    Message {
        name: "engine.v1.Team",
        fields: &[
            (1, "players", Shape::Message(11)),
            (2, "team_name", Shape::Text),
            (3, "has_possession", Shape::Varint),
            (4, "stats", Shape::Message(12)),
        ],
    },
    Message {
        name: "engine.v1.TeamMember",
        fields: &[
            (1, "weapon", Shape::Text),
            (2, "ordnance", Shape::Text),
            (3, "tac_mod", Shape::Text),
            (5, "head", Shape::Message(0)),
            (6, "body", Shape::Message(0)),
            (7, "account_number", Shape::Varint),
            (8, "display_name", Shape::Text),
            (9, "slot_number", Shape::Varint),
            (10, "jersey_number", Shape::Varint),
            (11, "level", Shape::Varint),
            (12, "ping", Shape::Varint),
            (13, "packet_loss_ratio", Shape::Fixed64),
            (14, "is_stunned", Shape::Varint),
            (15, "is_invulnerable", Shape::Varint),
            (16, "left_holding_onto", Shape::Text),
            (17, "right_holding_onto", Shape::Text),
            (18, "is_blocking", Shape::Varint),
            (19, "is_emote_playing", Shape::Varint),
            (20, "has_possession", Shape::Varint),
            (21, "left_hand", Shape::Message(2)),
            (22, "right_hand", Shape::Message(2)),
            (23, "velocity", Shape::Fixed64s),
            (24, "stats", Shape::Message(8)),
        ],
    },
    Message {
        name: "engine.v1.TeamStats",
        fields: &[
            (1, "possession_time", Shape::Fixed64),
            (2, "points", Shape::Varint),
            (3, "saves", Shape::Varint),
            (4, "goals", Shape::Varint),
            (5, "stuns", Shape::Varint),
            (6, "passes", Shape::Varint),
            (7, "catches", Shape::Varint),
            (8, "steals", Shape::Varint),
            (9, "blocks", Shape::Varint),
            (10, "interceptions", Shape::Varint),
            (11, "assists", Shape::Varint),
            (12, "shots_taken", Shape::Varint),
        ],
    },
    Message {
        name: "engine.v1.UserBones",
        fields: &[
            (1, "bone_t", Shape::Fixed32s),
            (2, "player_index", Shape::Varint),
            (3, "bone_o", Shape::Fixed32s),
        ],
    },
    Message {
        name: "google.protobuf.Timestamp",
        fields: &[
            (1, "seconds", Shape::Varint),
            (2, "nanos", Shape::Varint),
        ],
    },
    Message {
        name: "spatial.v1.Pose",
        fields: &[
            (1, "position", Shape::Message(17)),
            (2, "orientation", Shape::Message(16)),
        ],
    },
    Message {
        name: "spatial.v1.Quat",
        fields: &[
            (1, "x", Shape::Fixed32),
            (2, "y", Shape::Fixed32),
            (3, "z", Shape::Fixed32),
            (4, "w", Shape::Fixed32),
        ],
    },
    Message {
        name: "spatial.v1.Vec3",
        fields: &[
            (1, "x", Shape::Fixed32),
            (2, "y", Shape::Fixed32),
            (3, "z", Shape::Fixed32),
        ],
    },
    Message {
        name: "telemetry.v1.DiscCaught",
        fields: &[
            (1, "player_slot", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.DiscPossessionChanged",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "previous_player_slot", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.DiscThrown",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "throw_details", Shape::Message(4)),
        ],
    },
    Message {
        name: "telemetry.v1.EmotePlayed",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "emote", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.GenericEvent",
        fields: &[
            (1, "event_type", Shape::Text),
            (2, "data", Shape::Message(23)),
            (3, "payload", Shape::Text),
        ],
    },
    Message {
        name: "telemetry.v1.GenericEvent.DataEntry",
        fields: &[
            (1, "key", Shape::Text),
            (2, "value", Shape::Text),
        ],
    },
    Message {
        name: "telemetry.v1.GoalScored",
        fields: &[
            (1, "score_details", Shape::Message(3)),
        ],
    },
    Message {
        name: "telemetry.v1.LobbySessionEvent",
        fields: &[
            (10, "round_started", Shape::Message(42)),
            (11, "round_paused", Shape::Message(41)),
            (12, "round_unpaused", Shape::Message(43)),
            (13, "round_ended", Shape::Message(40)),
            (14, "match_ended", Shape::Message(27)),
            (15, "scoreboard_updated", Shape::Message(44)),
            (20, "player_joined", Shape::Message(32)),
            (21, "player_left", Shape::Message(33)),
            (22, "player_switched_team", Shape::Message(39)),
            (23, "emote_played", Shape::Message(21)),
            (30, "disc_possession_changed", Shape::Message(19)),
            (31, "disc_thrown", Shape::Message(20)),
            (32, "disc_caught", Shape::Message(18)),
            (40, "goal_scored", Shape::Message(24)),
            (41, "player_goal", Shape::Message(30)),
            (50, "player_save", Shape::Message(35)),
            (51, "player_stun", Shape::Message(38)),
            (52, "player_pass", Shape::Message(34)),
            (53, "player_steal", Shape::Message(37)),
            (54, "player_block", Shape::Message(29)),
            (55, "player_interception", Shape::Message(31)),
            (56, "player_assist", Shape::Message(28)),
            (57, "player_shot_taken", Shape::Message(36)),
            (60, "generic_event", Shape::Message(22)),
        ],
    },
    Message {
        name: "telemetry.v1.LobbySessionStateFrame",
        fields: &[
            (1, "frame_index", Shape::Varint),
            (2, "timestamp", Shape::Message(14)),
            (3, "events", Shape::Message(25)),
            (4, "session", Shape::Message(9)),
            (5, "player_bones", Shape::Message(6)),
        ],
    },
    Message {
        name: "telemetry.v1.MatchEnded",
        fields: &[
            (1, "winning_team", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.PlayerAssist",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_assists", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.PlayerBlock",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_blocks", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.PlayerGoal",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_goals", Shape::Varint),
            (3, "points", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.PlayerInterception",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_interceptions", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.PlayerJoined",
        fields: &[
            (1, "player", Shape::Message(11)),
            (2, "role", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.PlayerLeft",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "display_name", Shape::Text),
        ],
    },
    Message {
        name: "telemetry.v1.PlayerPass",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_passes", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.PlayerSave",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_saves", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.PlayerShotTaken",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_shots", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.PlayerSteal",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_steals", Shape::Varint),
            (3, "victim_player_slot", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.PlayerStun",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_stuns", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.PlayerSwitchedTeam",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "new_role", Shape::Varint),
            (3, "prev_role", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.RoundEnded",
        fields: &[
            (1, "round_number", Shape::Varint),
            (2, "winning_team", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.RoundPaused",
        fields: &[
            (1, "pause_state", Shape::Message(5)),
        ],
    },
    Message {
        name: "telemetry.v1.RoundStarted",
        fields: &[
            (1, "round_number", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v1.RoundUnpaused",
        fields: &[
            (1, "pause_state", Shape::Message(5)),
        ],
    },
    Message {
        name: "telemetry.v1.ScoreboardUpdated",
        fields: &[
            (1, "blue_points", Shape::Varint),
            (2, "orange_points", Shape::Varint),
            (3, "blue_round_score", Shape::Varint),
            (4, "orange_round_score", Shape::Varint),
            (5, "game_clock_display", Shape::Text),
        ],
    },
    Message {
        name: "telemetry.v1.TelemetryHeader",
        fields: &[
            (1, "capture_id", Shape::Text),
            (2, "created_at", Shape::Message(14)),
            (3, "metadata", Shape::Message(46)),
        ],
    },
    Message {
        name: "telemetry.v1.TelemetryHeader.MetadataEntry",
        fields: &[
            (1, "key", Shape::Text),
            (2, "value", Shape::Text),
        ],
    },
    Message {
        name: "telemetry.v2.CaptureFooter",
        fields: &[
            (1, "frame_count", Shape::Varint),
            (2, "duration_ms", Shape::Varint),
            (3, "footer_offset", Shape::Varint),
            (4, "keyframe_index", Shape::Message(66)),
            (5, "event_index", Shape::Message(60)),
        ],
    },
    Message {
        name: "telemetry.v2.CaptureHeader",
        fields: &[
            (1, "capture_id", Shape::Text),
            (2, "created_at", Shape::Message(14)),
            (3, "format_version", Shape::Varint),
            (4, "metadata", Shape::Message(49)),
            (5, "format_minor", Shape::Varint),
            (6, "format_patch", Shape::Varint),
            (7, "frame_encoding", Shape::Varint),
            (8, "game_type", Shape::Text),
            (9, "producer", Shape::Text),
            (10, "echo_arena", Shape::Message(55)),
            (90, "raw", Shape::Message(91)),
            (100, "dictionary_sha256", Shape::Bytes),
            (101, "nominal_frame_rate_hz", Shape::TextOrVarint),
            (102, "idle_frame_rate_hz", Shape::TextOrVarint),
        ],
    },
    Message {
        name: "telemetry.v2.CaptureHeader.MetadataEntry",
        fields: &[
            (1, "key", Shape::Text),
            (2, "value", Shape::Text),
        ],
    },
    Message {
        name: "telemetry.v2.DiscCaught",
        fields: &[
            (1, "player_slot", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.DiscPossessionChanged",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "previous_player_slot", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.DiscState",
        fields: &[
            (1, "pose", Shape::Message(15)),
            (2, "velocity", Shape::Message(17)),
            (3, "bounce_count", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.DiscThrown",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "throw_details", Shape::Message(99)),
        ],
    },
    Message {
        name: "telemetry.v2.EchoArenaFrame",
        fields: &[
            (1, "game_status", Shape::Varint),
            (2, "game_clock", Shape::Fixed32),
            (3, "pause_state", Shape::Varint),
            (4, "disc", Shape::Message(52)),
            (5, "players", Shape::Message(85)),
            (6, "player_bones", Shape::Message(74)),
            (7, "disc_holder_slot", Shape::Varint),
            (8, "vr_root", Shape::Message(15)),
            (9, "blue_points", Shape::Varint),
            (10, "orange_points", Shape::Varint),
            (11, "round_number", Shape::Varint),
            (12, "events", Shape::Message(57)),
            (13, "payload", Shape::Message(71)),
            (14, "left_shoulder_pressed", Shape::Fixed32),
            (15, "right_shoulder_pressed", Shape::Fixed32),
            (16, "left_shoulder_pressed_2", Shape::Fixed32),
            (17, "right_shoulder_pressed_2", Shape::Fixed32),
            (18, "err_code", Shape::Varint),
            (19, "blue_team_restart_request", Shape::Varint),
            (20, "orange_team_restart_request", Shape::Varint),
            (21, "pause_detail", Shape::Message(70)),
            (1000, "keyframe_state", Shape::Message(56)),
        ],
    },
    Message {
        name: "telemetry.v2.EchoArenaHeader",
        fields: &[
            (1, "session_id", Shape::Text),
            (2, "map_name", Shape::Text),
            (3, "match_type", Shape::Varint),
            (4, "client_name", Shape::Text),
            (5, "private_match", Shape::Varint),
            (6, "tournament_match", Shape::Varint),
            (7, "total_round_count", Shape::Varint),
            (8, "initial_roster", Shape::Message(77)),
            (9, "skeleton", Shape::Message(98)),
            (10, "session_ip", Shape::Text),
            (11, "rules_changed_by", Shape::Text),
            (12, "rules_changed_at", Shape::Varint),
            (13, "team_names", Shape::Text),
        ],
    },
    Message {
        name: "telemetry.v2.EchoArenaState",
        fields: &[
            (1, "players", Shape::Message(75)),
            (2, "blue_round_score", Shape::Varint),
            (3, "orange_round_score", Shape::Varint),
            (4, "last_goal", Shape::Message(64)),
            (5, "known_since_frame", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.EchoEvent",
        fields: &[
            (10, "round_started", Shape::Message(95)),
            (11, "round_paused", Shape::Message(94)),
            (12, "round_unpaused", Shape::Message(96)),
            (13, "round_ended", Shape::Message(93)),
            (14, "match_ended", Shape::Message(69)),
            (15, "scoreboard_updated", Shape::Message(97)),
            (16, "match_settings_changed", Shape::Bytes),
            (20, "player_joined", Shape::Message(80)),
            (21, "player_left", Shape::Message(81)),
            (22, "player_switched_team", Shape::Message(89)),
            (23, "emote_played", Shape::Message(58)),
            (24, "loadout_changed", Shape::Message(67)),
            (25, "grab_changed", Shape::Message(65)),
            (26, "player_info_updated", Shape::Message(78)),
            (30, "disc_possession_changed", Shape::Message(51)),
            (31, "disc_thrown", Shape::Message(53)),
            (32, "disc_caught", Shape::Message(50)),
            (40, "goal_scored", Shape::Message(64)),
            (41, "player_goal", Shape::Message(76)),
            (50, "player_save", Shape::Message(83)),
            (51, "player_stun", Shape::Message(88)),
            (52, "player_pass", Shape::Message(82)),
            (53, "player_steal", Shape::Message(87)),
            (54, "player_block", Shape::Message(73)),
            (55, "player_interception", Shape::Message(79)),
            (56, "player_assist", Shape::Message(72)),
            (57, "player_shot_taken", Shape::Message(84)),
            (58, "player_stats_updated", Shape::Message(86)),
            (60, "generic_event", Shape::Message(62)),
        ],
    },
    Message {
        name: "telemetry.v2.EmotePlayed",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "emote", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.Envelope",
        fields: &[
            (1, "header", Shape::Message(48)),
            (2, "frame", Shape::Message(61)),
            (3, "footer", Shape::Message(47)),
        ],
    },
    Message {
        name: "telemetry.v2.EventIndexEntry",
        fields: &[
            (1, "event_type", Shape::TextOrVarint),
            (2, "frame_indices", Shape::Varints),
        ],
    },
    Message {
        name: "telemetry.v2.Frame",
        fields: &[
            (1, "frame_index", Shape::Varint),
            (2, "timestamp_offset_ms", Shape::Varint),
            (3, "is_keyframe", Shape::Varint),
            (10, "echo_arena", Shape::Message(54)),
            (90, "raw", Shape::Message(90)),
            (190, "mark", Shape::Message(68)),
        ],
    },
    Message {
        name: "telemetry.v2.GenericEvent",
        fields: &[
            (1, "event_type", Shape::Text),
            (2, "data", Shape::Message(63)),
            (3, "payload", Shape::Text),
        ],
    },
    Message {
        name: "telemetry.v2.GenericEvent.DataEntry",
        fields: &[
            (1, "key", Shape::Text),
            (2, "value", Shape::Text),
        ],
    },
    Message {
        name: "telemetry.v2.GoalScored",
        fields: &[
            (1, "disc_speed", Shape::Fixed32),
            (2, "team", Shape::Varint),
            (3, "goal_type", Shape::Varint),
            (4, "point_amount", Shape::Varint),
            (5, "distance_thrown", Shape::Fixed32),
            (6, "scorer_slot", Shape::Varint),
            (7, "assist_slot", Shape::Varint),
            (8, "person_scored", Shape::Text),
            (9, "assist_scored", Shape::Text),
        ],
    },
    Message {
        name: "telemetry.v2.GrabChanged",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "left_holding", Shape::Text),
            (3, "right_holding", Shape::Text),
        ],
    },
    Message {
        name: "telemetry.v2.KeyframeEntry",
        fields: &[
            (1, "frame_index", Shape::Varint),
            (2, "byte_offset", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.LoadoutChanged",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "weapon", Shape::Text),
            (3, "ordnance", Shape::Text),
            (4, "tac_mod", Shape::Text),
        ],
    },
    Message {
        name: "telemetry.v2.Mark",
        fields: &[
            (1, "kind", Shape::Text),
            (2, "text", Shape::Text),
            (3, "time_ns", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.MatchEnded",
        fields: &[
            (1, "winning_team", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.PauseDetail",
        fields: &[
            (1, "unpaused_team", Shape::Varint),
            (2, "paused_requested_team", Shape::Varint),
            (3, "unpaused_timer", Shape::Fixed32),
            (4, "paused_timer", Shape::Fixed32),
        ],
    },
    Message {
        name: "telemetry.v2.PayloadState",
        fields: &[
            (1, "multiplier", Shape::Fixed32),
            (2, "checkpoint", Shape::Varint),
            (3, "distance", Shape::Fixed32),
            (4, "defenders", Shape::Varint),
            (5, "speed", Shape::Fixed32),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerAssist",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_assists", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerBlock",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_blocks", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerBones",
        fields: &[
            (1, "slot", Shape::Varint),
            (2, "transforms", Shape::Bytes),
            (3, "orientations", Shape::Bytes),
            (4, "skeleton_override", Shape::Message(98)),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerFullState",
        fields: &[
            (1, "info", Shape::Message(77)),
            (2, "present", Shape::Varint),
            (3, "loadout", Shape::Message(67)),
            (4, "grab", Shape::Message(65)),
            (5, "stats", Shape::Message(86)),
            (6, "event_totals", Shape::Message(86)),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerGoal",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_goals", Shape::Varint),
            (3, "points", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerInfo",
        fields: &[
            (1, "slot", Shape::Varint),
            (2, "account_number", Shape::Varint),
            (3, "display_name", Shape::Text),
            (4, "role", Shape::Varint),
            (5, "jersey_number", Shape::Varint),
            (6, "level", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerInfoUpdated",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "jersey_number", Shape::Varint),
            (3, "level", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerInterception",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_interceptions", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerJoined",
        fields: &[
            (1, "slot", Shape::Varint),
            (2, "account_number", Shape::Varint),
            (3, "display_name", Shape::Text),
            (4, "role", Shape::Varint),
            (5, "jersey_number", Shape::Varint),
            (6, "level", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerLeft",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "display_name", Shape::Text),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerPass",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_passes", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerSave",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_saves", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerShotTaken",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_shots", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerState",
        fields: &[
            (1, "slot", Shape::Varint),
            (2, "head", Shape::Message(15)),
            (3, "body", Shape::Message(15)),
            (4, "left_hand", Shape::Message(15)),
            (5, "right_hand", Shape::Message(15)),
            (6, "velocity", Shape::Message(17)),
            (7, "flags", Shape::Varint),
            (8, "ping", Shape::Varint),
            (9, "packet_loss_ratio", Shape::Fixed32),
            (10, "possession_time", Shape::Fixed32),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerStatsUpdated",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "points", Shape::Varint),
            (3, "saves", Shape::Varint),
            (4, "goals", Shape::Varint),
            (5, "stuns", Shape::Varint),
            (6, "passes", Shape::Varint),
            (7, "catches", Shape::Varint),
            (8, "steals", Shape::Varint),
            (9, "blocks", Shape::Varint),
            (10, "interceptions", Shape::Varint),
            (11, "assists", Shape::Varint),
            (12, "shots_taken", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerSteal",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_steals", Shape::Varint),
            (3, "victim_player_slot", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerStun",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "total_stuns", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.PlayerSwitchedTeam",
        fields: &[
            (1, "player_slot", Shape::Varint),
            (2, "new_role", Shape::Varint),
            (3, "prev_role", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.RawFrame",
        fields: &[
            (1, "stream", Shape::Text),
            (2, "data", Shape::Bytes),
            (3, "time_ns", Shape::Varint),
            (4, "sequence", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.RawHeader",
        fields: &[
            (1, "game", Shape::Text),
            (2, "streams", Shape::Message(92)),
        ],
    },
    Message {
        name: "telemetry.v2.RawStream",
        fields: &[
            (1, "name", Shape::Text),
            (2, "layout", Shape::Text),
            (3, "descriptor", Shape::Bytes),
        ],
    },
    Message {
        name: "telemetry.v2.RoundEnded",
        fields: &[
            (1, "round_number", Shape::Varint),
            (2, "winning_team", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.RoundPaused",
        fields: &[
            (1, "pause_state", Shape::Varint),
            (2, "requesting_team", Shape::Varint),
            (3, "pause_timer", Shape::Fixed32),
        ],
    },
    Message {
        name: "telemetry.v2.RoundStarted",
        fields: &[
            (1, "round_number", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.RoundUnpaused",
        fields: &[
            (1, "pause_state", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.ScoreboardUpdated",
        fields: &[
            (1, "blue_points", Shape::Varint),
            (2, "orange_points", Shape::Varint),
            (3, "blue_round_score", Shape::Varint),
            (4, "orange_round_score", Shape::Varint),
            (5, "game_clock_display", Shape::TextOrFixed32),
        ],
    },
    Message {
        name: "telemetry.v2.SkeletonLayout",
        fields: &[
            (1, "bone_count", Shape::Varint),
            (2, "transform_stride", Shape::Varint),
            (3, "orientation_stride", Shape::Varint),
        ],
    },
    Message {
        name: "telemetry.v2.ThrowDetails",
        fields: &[
            (1, "arm_speed", Shape::Fixed32),
            (2, "total_speed", Shape::Fixed32),
            (3, "off_axis_spin_deg", Shape::Fixed32),
            (4, "wrist_throw_penalty", Shape::Fixed32),
            (5, "rot_per_sec", Shape::Fixed32),
            (6, "pot_speed_from_rot", Shape::Fixed32),
            (7, "speed_from_arm", Shape::Fixed32),
            (8, "speed_from_movement", Shape::Fixed32),
            (9, "speed_from_wrist", Shape::Fixed32),
            (10, "wrist_align_to_throw_deg", Shape::Fixed32),
            (11, "throw_align_to_movement_deg", Shape::Fixed32),
            (12, "off_axis_penalty", Shape::Fixed32),
            (13, "throw_move_penalty", Shape::Fixed32),
        ],
    },
];
