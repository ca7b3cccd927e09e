//! The user's configuration into the parts that follow it.

use atm_core::project::Look;

use super::Dispatcher;
use crate::store::Limits;

impl Dispatcher {
    /// Reads the file; whoever asks for `world.config` later finds the values of now.
    pub(super) fn configure(&mut self) {
        let world = &mut self.world;
        let known = world.config_file.troubles().to_vec();
        let loaded = world.config_file.load(&mut world.files);
        for trouble in world.config_file.troubles() {
            if !known.contains(trouble) {
                self.log.trouble(trouble);
            }
        }
        self.log.debug(|| format!("configuration: {} options set", loaded.set_in_file()));
        world.config = loaded.config;
        self.keeper.set_limits(Limits::of(&world.config.history));
        let look = self.look();
        self.world.projector.restyle(look, &self.machine);
    }

    /// How tmux should look now.
    pub(super) fn look(&self) -> Look {
        let look = Look::of(&self.world.config);
        if self.places.tmux_off().exists() { look.off() } else { look }
    }
}
