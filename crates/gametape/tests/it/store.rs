//! Tests of the store. Each behaviour is a function that runs on SQLite and on PostgreSQL.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, unreachable_pub)]

mod cars;
mod catalogue;
mod contention;
mod cursors;
mod edits;
mod keep;
mod matches;
pub(crate) mod place;
mod privacy;
mod queries;
mod replace;
pub(crate) mod sample;
mod schema;
mod tokens;
mod words;
mod writing;

/// Generates a test of each function for each database. This needs a macro: the harness identifies tests by name.
macro_rules! on_both {
    ($($module:ident: $($name:ident),+;)+) => {
        mod sqlite {
            $($(#[test] fn $name() { super::$module::$name(&super::place::Place::sqlite()); })+)+
        }
        mod postgres {
            $($(#[test] fn $name() {
                if let Some(place) = super::place::Place::postgres() {
                    super::$module::$name(&place);
                }
            })+)+
        }
    };
}

on_both! {
    writing:
        what_is_written_comes_back_as_it_was,
        h3_writing_the_same_again_changes_no_row,
        a_tape_is_seen_as_a_whole_when_that_was_said,
        a_lap_that_changed_is_replaced_and_bests_follow,
        a_lap_without_its_session_is_refused_and_nothing_is_written,
        laps_of_a_playback_are_left_out_unless_asked_for,
        odd_texts_and_numbers_are_kept_or_unknown,
        a_session_that_learns_its_car_moves_its_laps,
        laps_written_at_the_same_time_all_arrive,
        what_tracks_teach_is_kept_and_added_to;
    replace:
        h3_tracking_again_with_the_same_result_changes_no_row,
        a_newer_tracker_replaces_and_an_older_one_does_not,
        h6_what_users_said_follows_the_stretch_of_tape,
        what_users_said_about_laps_that_are_gone_waits_for_them,
        laps_that_are_not_found_again_go,
        what_comes_late_changes_nothing_on_a_tape_that_was_tracked_as_a_whole,
        what_users_said_about_a_running_session_stays_with_it;
    cars:
        all_cars_come_back_as_they_were_in_the_order_of_their_positions,
        changes_of_cars_are_applied_and_laps_taken_back,
        tracking_again_replaces_the_cars,
        hidden_drivers_of_other_cars_are_absent_from_public_standings;
    matches:
        matches_come_back_as_they_were_newest_first_in_pages,
        matches_are_filtered_by_game_player_map_and_time,
        writing_a_match_again_changes_no_row_and_a_new_reading_replaces_it,
        the_catalogue_puts_the_match_of_a_tape_into_the_store;
    edits:
        an_excluded_lap_is_no_best_until_it_is_taken_back,
        laps_of_others_are_no_best_until_the_user_says_that_they_are_his,
        h5_deleted_laps_and_sessions_come_back_whole,
        names_notes_and_tags_are_kept_and_found,
        tags_are_told_apart_by_every_letter,
        h13_tracks_cars_and_drivers_get_names,
        texts_that_are_too_long_are_refused;
    queries:
        sessions_come_newest_first_in_pages_without_gaps_or_doubles,
        sessions_are_filtered,
        a_typed_name_means_the_name_that_equals_it_or_all_that_contain_it,
        words_are_found_in_any_case_of_any_letters,
        d4_h5_sessions_without_enough_laps_are_hidden_only_when_asked,
        h7_laps_are_filtered_and_sorted_in_pages,
        bests_are_per_driver_car_track_and_layout,
        tracks_cars_and_drivers_are_counted,
        the_best_of_a_track_is_whoever_drove_it,
        d14_a_session_that_a_second_recording_goes_on_with_is_linked_to_the_first,
        progress_has_the_best_and_the_median_of_each_day,
        cursors_of_other_queries_are_refused,
        the_catalogue_keeps_tapes,
        an_answer_that_was_kept_is_never_old,
        rare_and_common_laps_are_found_the_same_way;
    privacy:
        h9_a_private_driver_is_absent_from_every_public_answer,
        an_unlisted_driver_is_seen_by_who_asks_for_it,
        an_unlisted_driver_is_not_seen_by_who_asks_for_another,
        a_session_with_a_private_co_driver_shows_only_what_is_public,
        a_session_without_a_driver_is_as_hidden_as_its_laps;
    schema:
        a_store_is_made_and_opened_again,
        a_store_of_a_newer_program_is_refused,
        a_database_of_another_program_is_refused,
        every_earlier_schema_is_brought_up_to_date,
        the_newest_schema_is_kept_as_text;
    tokens:
        a_token_is_known_until_it_is_revoked;
    cursors:
        made_up_cursors_are_refused;
    words:
        words_of_a_newer_tracker_are_read_as_unknown;
    keep:
        a_tape_of_which_something_was_not_stored_is_to_be_tracked_again;
    contention:
        edits_and_live_writes_at_the_same_time_all_arrive,
        laps_that_come_while_their_driver_is_hidden_are_hidden,
        who_writes_laps_and_who_hides_their_driver_wait_for_each_other,
        a_lock_of_another_program_holds_a_writer_for_seconds_only;
    catalogue:
        tapes_that_are_new_moved_changed_or_gone_are_noticed,
        a_tape_is_added_from_anywhere_and_looked_at_there_again;
}

#[test]
fn a_file_that_is_no_database_is_refused_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    let text = "these are my notes, and they are no database ".repeat(100);
    std::io::Write::write_all(&mut std::fs::File::create_new(&path).unwrap(), text.as_bytes()).unwrap();
    let error = gametape::store::open(path.to_str().unwrap()).err().unwrap();
    assert!(error.to_string().contains("not a database"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_server_that_is_not_there_is_told_within_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let host = folder.path().display().to_string().replace('/', "%2F");
    let error = gametape::store::open(&format!("postgres://me:secret@{host}/laps")).err().unwrap();
    assert!(error.is_unreachable(), "{error}");
    assert!(!error.to_string().contains("secret"), "{error}");
}
